"""Masking of secrets in a stream of text: rules as data, an engine that finds them, a stage that masks them."""
