"""Tables in, sparse matrices out: ids, readers, splits, the bundled data set, loaders."""
