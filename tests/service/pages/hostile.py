"""Names that were not meant for pages: markup, scripts, text from right to left, 10,000 characters."""

HOSTILE = [
    "<script>document.title='taken'</script>", '"><img src=x onerror=alert(1)>', "\u202eabc\u202c שלום", "x" * 10_000,
    "שלום " * 1999 + "עולם!", "a&b=c#d?e/../f", "{{7*7}} ${7*7}", "</textarea><svg onload=alert(1)>",
]  # fmt: skip
LONG = "very long title " * 625
assert max(map(len, HOSTILE)) == len(LONG) == 10_000
