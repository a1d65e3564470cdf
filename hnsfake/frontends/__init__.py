"""The ways in: HTTP and the command line. A front end names node, operation and text; it decides nothing."""
