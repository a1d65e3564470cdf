"""What HNS does with documents: state, checks, transactions. Pure Python; knows no Linux."""
