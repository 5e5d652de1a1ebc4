"""Disagreements that are argued. Each names the heading of the page that decides it."""

# (end of the path, line or None for all, field) -> reason; heading
KNOWN = {
    ('1trials.first15.json', None, 'duration'): 'the view shows the time from start to end; FORMATS.md, "tau2-bench"',
}


def reason_of(path, line, field):
    for (ending, at, name), reason in KNOWN.items():
        if path.endswith(ending) and name == field and at in (None, line):
            return reason
    return None
