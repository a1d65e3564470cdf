"""Who reaches whom, and what is on the wire."""
