"""What HNS answers: objects created, queried, modified, deleted, refused."""
