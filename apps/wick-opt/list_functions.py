"""Writes a C++ table of the functions that headers declare: list_functions.py OUTPUT ROOT HEADER...

Listed is what a namespace of the user's API declares and gives tensors: a Tensor, several, or a struct
of them. Overloads are one function. Operators, member functions, `detail` and functions of the IR's
own types are left out.
"""

import pathlib
import re
import sys

STATEMENT = re.compile(r"[^;{}]*[;{}]")
DECLARATION = re.compile(r"^(?:template\s*<.*>\s*)?([\w:<>,&*\s]+?)[\s&]+(\w+)\s*\((.*)$", re.DOTALL)


def without_comments(text):
    text = re.sub(r"//[^\n]*|/\*.*?\*/", "", text, flags=re.DOTALL)
    return re.sub(r"^\s*#.*$", "", text, flags=re.MULTILINE)


def statements(text):
    """(namespace, statement) for each statement directly in a namespace; structs with their bodies."""
    namespace, position = [], 0
    while (match := STATEMENT.match(text, position)) is not None:
        head, end = match.group()[:-1].strip(), match.group()[-1]
        position = match.end()
        if end == "{" and head.startswith("namespace"):
            namespace.append(head.removeprefix("namespace").strip())
        elif end == "{":
            depth, start = 1, position
            while depth > 0:
                depth += {"{": 1, "}": -1}.get(text[position], 0)
                position += 1
            body = text[start:position - 1]
            # A default argument such as `= {}` is part of its declaration, which goes on.
            if head.endswith("="):
                text = text[:match.start()] + head + " 0" + text[position:]
                position = match.start()
            else:
                yield "::".join(namespace), head, body
        elif end == ";":
            yield "::".join(namespace), head, ""
        elif namespace:
            namespace.pop()


def is_user_namespace(namespace):
    return re.fullmatch(r"wick(::(fft|linalg|nn))?", namespace) is not None


def functions_of(text, holders):
    names = []
    for namespace, head, body in statements(without_comments(text)):
        struct = re.match(r"(?:struct|class)\s+(\w+)", head)
        if struct and re.search(r"\bTensor\s+\w+\s*(;|=)", body) and not head.endswith("Options"):
            holders.add(struct.group(1))
        declared = None if struct else DECLARATION.match(head)
        if declared is None or not is_user_namespace(namespace):
            continue
        result, name, arguments = declared.groups()
        gives = set(re.findall(r"\w+", result)) & ({"Tensor"} | holders)
        if gives and name != "operator" and "ir::" not in arguments:
            names.append("::".join([*namespace.split("::")[1:], name]))
    return list(dict.fromkeys(names))


def main():
    output, root, *headers = sys.argv[1:]
    rows, seen, holders = [], set(), set()
    for header in sorted(headers):
        for name in functions_of(pathlib.Path(header).read_text(encoding="utf-8"), holders):
            if name not in seen:
                seen.add(name)
                rows.append((pathlib.Path(header).relative_to(root).as_posix(), name))
    table = "\n".join(f'    {{"{header}", "{name}"}},' for header, name in rows)
    pathlib.Path(output).write_text(
        f'#include "functions.h"\n\nnamespace wick::tools {{\n\n'
        f"namespace {{\n\nconstexpr Function kFunctions[] = {{\n{table}\n}};\n\n}}  // namespace\n\n"
        f"std::span<const Function> functions() {{\n  return kFunctions;\n}}\n\n"
        f"}}  // namespace wick::tools\n",
        encoding="utf-8")


main()
