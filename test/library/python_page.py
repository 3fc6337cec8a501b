"""python_page.py - the code of a page does what the page says.

    python_page.py PAGE.md [--quote]      --quote puts what is printed into the page

Blocks fenced by ```python are run one after the other in one namespace and a folder of their own; what a block
prints is the plain block that follows it, or nothing. The last number of a line with three decimals and an "s" behind
it is a time, and is not compared.
"""

import contextlib
import io
import os
import re
import sys
import tempfile
import traceback

sys.path.insert(0, os.path.abspath("python"))


def blocks(text):
    """(line, code, output) of each block of code."""
    found = []
    fence = re.compile(r"^```(\w*)\n(.*?)^```$", flags=re.M | re.S)
    for block in fence.finditer(text):
        line = text.count("\n", 0, block.start()) + 2
        if block[1] == "python":
            found.append([line, block[2], ""])
        elif block[1] == "" and found:
            found[-1][2] += block[2]
    return found


def masked(text):
    return re.sub(r"\d+\.\d{3} s\b", "TIME", text)


def main():
    page = os.path.abspath(sys.argv[1])
    text = open(page, encoding="utf-8").read()
    names, wrong = {"__name__": "page"}, 0
    found = blocks(text)
    assert len(found) >= 8, f"{page}: only {len(found)} blocks"
    with tempfile.TemporaryDirectory() as folder:
        os.chdir(folder)
        for line, code, output in found:
            printed = io.StringIO()
            try:
                with contextlib.redirect_stdout(printed):
                    exec(compile("\n" * (line - 1) + code, page, "exec"), names)  # pylint: disable=exec-used
            except Exception:  # pylint: disable=broad-except
                traceback.print_exc()
                wrong += 1
            if masked(printed.getvalue()) != masked(output) and "--quote" in sys.argv and output:
                text = text.replace(f"```\n{output}```", f"```\n{printed.getvalue()}```", 1)
            elif masked(printed.getvalue()) != masked(output):
                print(f"{page}:{line}: expected\n{output}found\n{printed.getvalue()}", file=sys.stderr)
                wrong += 1
        os.chdir("/")
    if "--quote" in sys.argv:
        open(page, "w", encoding="utf-8").write(text)
    return wrong > 0


sys.exit(main())
