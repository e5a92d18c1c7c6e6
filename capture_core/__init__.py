"""capture_core: capture what a process or tool prints, sanitised before the first byte is committed."""
