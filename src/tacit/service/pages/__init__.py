"""Pages for people: explore a model, review missing tags, watch a service, grade rows."""
