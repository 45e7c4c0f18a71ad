# SPDX-License-Identifier: MIT
"""Sphinx's configuration. build.py makes the pages, and says in the environment where Doxygen's XML is."""

import logging
import os

project = "tbrsim"
release = os.environ["TBRSIM_VERSION"]
html_title = f"tbrsim {release}"
extensions = ["myst_parser", "breathe"]
myst_enable_extensions = ["deflist"]
# GitHub's anchors of headings, which the documents link to.
myst_heading_anchors = 4
breathe_projects = {"cachemodel": os.environ["TBRSIM_DOXYGEN_XML"]}
breathe_default_project = "cachemodel"
breathe_domain_by_extension = {"h": "c"}
breathe_show_include = False
# Each page says what it shows as it is written: no language is guessed, no quotes are turned.
highlight_language = "none"
smartquotes = False
html_theme = "furo"
html_extra_path = ["_reports"] if os.path.isdir("_reports") else []
html_static_path = ["_static"]
html_css_files = ["site.css"]
html_copy_source = False
html_show_copyright = False
html_show_sphinx = False
# From disk a browser may not read the pages that were found, to show a part of them.
html_show_search_summary = False


# Of a later Sphinx what OneNameSpace is for here.
suppress_warnings = ["duplicate_declaration.c"]


class OneNameSpace(logging.Filter):
    """Sphinx takes a struct and a function of one name for the same, which in C they are not."""

    def filter(self, record):
        return "Duplicate C declaration" not in record.getMessage()


def setup(app):
    logging.getLogger("sphinx.sphinx.domains.c").addFilter(OneNameSpace())
