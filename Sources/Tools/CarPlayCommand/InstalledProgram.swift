// swift-iap2 · Apache-2.0

import Dispatch
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

  /// The time in seconds that a program may take. Ours: a busy machine needs a few for the longest prompt.
  static let limit = 30.0

  /// Runs the program without an input, and returns its output; nil if its exit status is not 0. A program that takes
  /// longer than a limit in seconds is ended.
  ///
  /// - Throws: The system's error, if the program cannot be started.
  func output(
    _ arguments: [String], errors: Any? = FileHandle.standardError, limit: Double = Self.limit
  ) throws -> Data? {
    let child = Process()
    child.executableURL = URL(filePath: "/usr/bin/env")
    child.arguments = [name] + arguments
    let output = Pipe()
    (child.standardInput, child.standardOutput, child.standardError) = (FileHandle.nullDevice, output, errors)
    try child.run()
    let process = child.processIdentifier
    let end = DispatchWorkItem { kill(process, SIGKILL) }
    DispatchQueue.global().asyncAfter(deadline: .now() + limit, execute: end)
    let data = output.fileHandleForReading.readDataToEndOfFile()
    end.cancel()
    child.waitUntilExit()
    return child.terminationStatus == 0 ? data : nil
  }
}
