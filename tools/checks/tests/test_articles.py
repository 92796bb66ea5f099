# SPDX-License-Identifier: Apache-2.0
"""Faults of made-up pages are found, also by the compiler."""
import pathlib
import tempfile
import unittest

from checks.articles import check_shown, compile_all, faults_of

SAMPLE = """\
# Sample

```swift
import Upper
let number = 1
print(numbr)
```

    let text = "shown"

```swift
print("right")
```
"""


class Articles(unittest.TestCase):
    def test_faults_are_found(self):
        faults, count = faults_of([("Sources/Lower.docc/Lower.md", SAMPLE), ("Sources/Upper.docc/Upper.md", "# Upper\n")],
                                  {"Lower": [], "Upper": ["Lower"], "Missing": []}, [])
        expected = ["Lower.md:9: Swift code without", "Lower.md:4: imports Upper, which Lower does not",
                    "Upper.md: the first page of Upper has no block", "Missing has no first page",
                    "Lower.md:4:8: error: no such module"]
        for text in expected:
            self.assertTrue(any(text in fault for fault in faults), text)
        self.assertEqual((len(faults), count), (len(expected), 2), faults)

    def test_the_compiler_names_the_line_of_the_page(self):
        errors, _ = compile_all([("Page.md", SAMPLE.replace("import Upper\n", ""))], [])
        self.assertEqual(len(errors), 1)
        self.assertIn("Page.md:5:7: error: cannot find 'numbr'", errors[0])

    def test_a_page_shows_the_code_of_its_file(self):
        with tempfile.TemporaryDirectory() as folder:
            (pathlib.Path(folder) / "Shown.swift").write_text('print("right")\n', encoding="utf-8")
            faults = check_shown([("Page.md", SAMPLE), ("Other.md", "# Other\n")],
                                 dict.fromkeys(["Page.md", "Other.md"], "Shown.swift"), pathlib.Path(folder))
        self.assertEqual(faults, ["Other.md: no block equals Shown.swift"])


if __name__ == "__main__":
    unittest.main()
