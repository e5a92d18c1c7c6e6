"""The programs that the sample conversation runs: real work of the standard library, nothing recorded."""
