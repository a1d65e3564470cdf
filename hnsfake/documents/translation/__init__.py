"""Objects as HNS shows them, in v1's and in v2's shape: one file a noun, one function a face."""
