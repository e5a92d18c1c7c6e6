"""The steps of a build, seen by the forms in which tools announce them: a view derived from a text, never evidence."""
