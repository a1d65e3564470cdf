"""Which operation gives which HRESULT, and in which order the checks are made: a table, and tests made of it."""
