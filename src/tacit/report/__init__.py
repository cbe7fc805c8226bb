"""Pages to look at: what was found as blocks of data, and one HTML file that needs nothing else.

blocks : paragraphs, tables, bars, lines; what a section says, in data
svg : charts as inline SVG
markdown : the Markdown of results files as blocks
page : sections as one self-contained page, light and dark, for a desk and for a phone
"""
