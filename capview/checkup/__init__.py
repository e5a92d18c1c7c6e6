"""What ``capview doctor`` looks at: each module one kind of place, each remark one line; nothing is ever changed."""
