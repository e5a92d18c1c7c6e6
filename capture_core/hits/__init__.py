"""From the committed bytes of captures to the lines that are hits: streaming, in fixed memory for any line's length."""
