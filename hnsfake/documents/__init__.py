"""What callers send to HNS and get back: v1 and v2 documents, policies, HRESULTs, error records."""
