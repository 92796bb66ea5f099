// swift-iap2 · Apache-2.0

import CarPlayConformance
import Foundation
import IAP2Fuzzing

/// Seeds and kept inputs as files, one folder for each target, as libFuzzer reads them.
enum SeedFiles {
  static func write(from repository: String, to folder: String) throws {
    let root = URL(filePath: repository, directoryHint: .isDirectory)
    for (target, inputs) in Seeds(captures: try KeptInputs.captures(of: root)).inputs {
      for (name, bytes) in inputs { try write(bytes, name, target.rawValue, folder) }
    }
    for (name, bytes) in ProbeTarget.seeds { try write(bytes, name, ProbeTarget.name, folder) }
    for target in Target.all {
      for (index, bytes) in try KeptInputs.all(named: target.name, in: root).enumerated() {
        try write(bytes, "kept-\(index)", target.name, folder)
      }
    }
  }

  private static func write(_ bytes: [UInt8], _ name: String, _ target: String, _ folder: String) throws {
    let place = URL(filePath: folder, directoryHint: .isDirectory).appending(path: target)
    try FileManager.default.createDirectory(at: place, withIntermediateDirectories: true)
    try Data(bytes).write(to: place.appending(path: name))
  }
}
