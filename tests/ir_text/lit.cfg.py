"""Textual tests of graph IR: run lines in .wick files, checked by FileCheck."""

import os

import lit.formats

config.name = "wick-ir"
config.test_format = lit.formats.ShTest(execute_external=False)
config.suffixes = [".wick"]
config.test_source_root = os.path.dirname(__file__)
config.test_exec_root = lit_config.params["output"]
config.environment["PATH"] = os.pathsep.join(
    [lit_config.params["tools"], lit_config.params["filecheck"], "/usr/bin", "/bin"])

for part in ("cuda", "llvm"):
    if lit_config.params[part] == "TRUE":
        config.available_features.add(part)

# The plug-in of tests/support/sample_ops.h.
config.substitutions.append(("%{sample-ops}", lit_config.params["sample_ops"]))
# A file of graphs in printed form: they print as they stand, comments and blank lines aside.
config.substitutions.append(("%{round-trip}", "grep -v -e '^//' -e '^$' %s > %t.written && "
                             "wick-opt %s > %t.printed && diff -u %t.written %t.printed"))
# The whole message on standard error, with the line it points at and the caret.
config.substitutions.append(("%{parse-error}", "not wick-opt %s 2>&1 | "
                             "FileCheck --strict-whitespace --match-full-lines %s"))
