# SPDX-License-Identifier: Apache-2.0
"""Differences between made-up modules and lists of their declarations are found."""
import unittest

from checks import api_lists, carplay_api, external_accessory_api, shapes_api

SOURCE = '''
// #if canImport(UIKit)
let text = "#if canImport(UIKit)"
/* canImport(CarPlay) */
#if canImport(UIKitCore) || canImport(Foundation)
#if os(iOS) && canImport( MapKit , _version: 2)
#elseif !canImport(UIKit.UIView)
#endif
'''
PACKAGE = {
    "products": [{"name": "CarPlay", "targets": ["CarPlay"]}, {"name": "Tool", "targets": ["Tool"]},
                 {"name": "Clean", "targets": ["Base"]}],
    "targets": [
        {"name": "Tool", "dependencies": [{"byName": ["Middle", None]}, {"product": ["UIKit", "other", None, None]}]},
        {"name": "Middle", "dependencies": [{"target": ["MapKit", None]}, {"byName": ["Tool", None]}]},
        {"name": "CarPlay", "dependencies": [{"byName": ["UIKit", None]}]}, {"name": "Base", "dependencies": []},
        {"name": "UIKit", "dependencies": []}, {"name": "MapKit", "dependencies": []}, {"name": "os", "dependencies": []},
    ],
}


class ExternalAccessory(unittest.TestCase):
    sections = api_lists.read_list("# Title\n\n## One\nA: class A\nA.b: var b: Int\n\n## NONE\nC: class C\n")

    def test_differences_are_found(self):
        self.assertEqual(
            api_lists.faults_of({"A: class A", "A.b: var b: String", "C: class C"}, self.sections),
            ["not in the list: A.b: var b: String", "missing in the module: A.b: var b: Int",
             "belongs to no section of the API: C: class C"])

    def test_a_written_list_is_read_again(self):
        self.assertEqual(api_lists.read_list(external_accessory_api.list_text(self.sections)), self.sections)

    def test_new_declarations_have_no_section(self):
        self.assertEqual(api_lists.updated(self.sections, {"A: class A", "D: class D"}),
                         {"A: class A": "One", "D: class D": "NONE"})


class CarPlay(unittest.TestCase):
    sections = api_lists.read_list(
        "# Title\n\n## 4.1 One\nA: class A\nA.b: var b: Int // iOS 14.0\n\n## NONE\nC: class C\n\n## NOT BUILT\n"
        "A.d | Nothing needs it.\nA.e | \nC | It is here.\n\n## STEP 91 %\nA\nA.f\n")

    def test_differences_are_found(self):
        faults, figures = carplay_api.faults_of(
            {"A: class A", "A.b: var b: Int // iOS 15.0", "C: class C"}, self.sections)
        self.assertEqual(faults, [
            "not in the list: A.b: var b: Int // iOS 15.0", "missing in the module: A.b: var b: Int // iOS 14.0",
            "belongs to no section of the API: C: class C", "has no reason: A.e", "is built: C",
            "is missing in the step of 91 %: A.f", "25.0 % of the API are built, fewer than 95 %"])
        self.assertEqual(figures, (50, 25))

    def test_a_written_list_is_read_again(self):
        self.assertEqual(api_lists.read_list(carplay_api.list_text(self.sections)), self.sections)


class Shapes(unittest.TestCase):
    sections = shapes_api.read_list(
        "# Title\n\n## A: one\nX: class X\nX.b: var b: Int\n\n## B: NONE\nX: class X\n")

    def test_differences_are_found(self):
        self.assertEqual(
            shapes_api.faults_of_list({("A", "X: class X"), ("A", "X.b: var b: String"), ("B", "X: class X")},
                                      self.sections),
            ["not in the list: A: X.b: var b: String", "missing in the module: A: X.b: var b: Int",
             "belongs to no section: B: X: class X"])

    def test_a_written_list_is_read_again(self):
        self.assertEqual(shapes_api.read_list(shapes_api.list_text(self.sections)), self.sections)

    def test_tests_of_modules_are_found(self):
        self.assertEqual(
            shapes_api.faults_of_source("F.swift", SOURCE, {"UIKit", "MapKit", "CarPlay"}),
            ["F.swift:6: tests canImport(MapKit), which is a shape",
             "F.swift:7: tests canImport(UIKit), which is a shape"])

    def test_products_that_build_shapes_are_found(self):
        self.assertEqual(
            shapes_api.faults_of_package(PACKAGE, {"UIKit", "MapKit"}),
            ["Package.swift: no target may be named os", "Package.swift: the product Tool builds the shape MapKit"])


if __name__ == "__main__":
    unittest.main()
