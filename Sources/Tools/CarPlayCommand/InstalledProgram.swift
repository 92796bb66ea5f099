// swift-iap2 · Apache-2.0

import Foundation
import Glibc

/// A program of another package, which users may have installed.
struct InstalledProgram {
  /// The name, by which it is found in PATH.
  let name: String

  /// The program that decodes pictures and files of sound, from Debian's package of the same name.
  static let ffmpeg = InstalledProgram(name: "ffmpeg")

  /// Whether the program is in one of the folders of PATH.
  var isThere: Bool {
    (ProcessInfo.processInfo.environment["PATH"] ?? "").split(separator: ":").contains {
      unsafe access("\($0)/\(name)", X_OK) == 0
    }
  }

  /// Runs the program without an input, and returns its output; nil if its exit status is not 0.
  ///
  /// - Throws: The system's error, if the program cannot be started.
  func output(_ arguments: [String], errors: Any? = FileHandle.standardError) throws -> Data? {
    let child = Process()
    child.executableURL = URL(filePath: "/usr/bin/env")
    child.arguments = [name] + arguments
    let output = Pipe()
    (child.standardInput, child.standardOutput, child.standardError) = (FileHandle.nullDevice, output, errors)
    try child.run()
    let data = output.fileHandleForReading.readDataToEndOfFile()
    child.waitUntilExit()
    return child.terminationStatus == 0 ? data : nil
  }
}
