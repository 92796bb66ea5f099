# SPDX-License-Identifier: Apache-2.0
import copy
import unittest

from suite import umbrella

DOCUMENT = {
    "name": "One", "packageKind": {"root": ["/house/Examples/One"]}, "products": [], "traits": [],
    "toolsVersion": {"_version": "6.2.0"}, "platforms": [],
    "dependencies": [{"fileSystem": [{"path": "/house", "nameForTargetDependencyResolutionOnly": "swift-iap2"}]}],
    "targets": [
        {"name": "Code", "type": "regular", "settings": [], "exclude": [], "packageAccess": True,
         "resources": [{"path": "Resources", "rule": {"process": {}}}],
         "dependencies": [{"product": ["CarPlay", "swift-iap2", None, {"platformNames": ["linux"]}]}]},
        {"name": "CodeTests", "type": "test", "settings": [], "exclude": ["Old"], "packageAccess": True, "resources": [],
         "dependencies": [{"byName": ["Code", None]}]},
    ],
}


class Umbrella(unittest.TestCase):
    def test_targets_keep_what_their_manifests_say(self):
        text = umbrella.manifest("All", "/house", [DOCUMENT])
        for part in ('name: "All"', '.package(name: "swift-iap2", path: "..", traits: [])', 'path: "One/Sources/Code"',
                     '.product(name: "CarPlay", package: "swift-iap2", condition: .when(platforms: [.linux]))',
                     'resources: [.process("Resources")]', 'path: "One/Tests/CodeTests"', 'dependencies: ["Code"]',
                     'exclude: ["Old"]'):
            self.assertIn(part, text)

    def test_what_would_be_lost_is_an_error(self):
        for place, key, value in ((0, "settings", [{"tool": "swift"}]), (0, "type", "macro"),
                                  (1, "dependencies", [{"byName": ["Code", {"platformNames": ["linux"]}]}]),
                                  (0, "resources", [{"path": "x", "rule": {"embedInCode": {}}}])):
            document = copy.deepcopy(DOCUMENT)
            document["targets"][place][key] = value
            with self.assertRaises(umbrella.Unknown, msg=key):
                umbrella.manifest("All", "/house", [document])

    def test_another_dependency_is_an_error(self):
        document = copy.deepcopy(DOCUMENT)
        document["dependencies"].append({"sourceControl": [{}]})
        with self.assertRaises(umbrella.Unknown):
            umbrella.manifest("All", "/house", [document])


if __name__ == "__main__":
    unittest.main()
