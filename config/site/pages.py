"""What the pages already say, the site does not say again: its navigation is docs/README.md, and a link out of docs leads to the sources."""

import os
import re

HEADING = re.compile(r"^## (.+)$")
PAGE = re.compile(r"\[([^\]]+)\]\(([a-z-]+\.md)\)")
OUTSIDE = re.compile(r"\]\((?:\.\./([^)]+)|(src/[^)]+))\)")


def on_config(config):
    navigation, seen = [{"mongo-lock": "README.md"}], set()
    with open(os.path.join(config["docs_dir"], "README.md"), encoding="utf-8") as index:
        for line in index:
            heading = HEADING.match(line)
            if heading:
                navigation.append({heading[1]: []})
            for title, page in PAGE.findall(line):
                if page not in seen:
                    seen.add(page)
                    next(iter(navigation[-1].values())).append({title[0].upper() + title[1:]: page})
    config["nav"] = [entry for entry in navigation if all(entry.values())]
    return config


def on_page_markdown(markdown, page, config, files):
    sources = config["repo_url"].rstrip("/") + "/blob/main/"
    return OUTSIDE.sub(lambda link: f"]({sources}{link[1] or 'docs/' + link[2]})", markdown)
