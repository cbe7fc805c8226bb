"""Tag: many labels a row, few of them ever given."""
