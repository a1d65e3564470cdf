"""Tests of hnsfake itself."""
