// swift-iap2 · Apache-2.0

import CarPlayDrawing
import Foundation
import Glibc

/// The program of an app: an executable, or the executable of a package, which is built if it is not up to date.
public enum AppProgram {
  /// Returns the path of the executable of an app.
  ///
  /// - Parameters:
  ///   - path: An executable, or a folder with a Package.swift.
  ///   - product: The name of the package's executable, if it has several.
  ///   - stop: The request that ends a build.
  ///   - note: A closure that receives the progress of a build.
  /// - Throws: A failure: a missing file, no executable, several executables, or a failed build.
  public static func executable(
    _ path: String, product: String? = nil, stop: StopRequest, note: @escaping (String) -> Void
  ) throws(CarFailure) -> String {
    var isFolder = ObjCBool(false)
    guard unsafe FileManager.default.fileExists(atPath: path, isDirectory: &isFolder) else {
      throw CarFailure(.noInput, "no such file: \(path); name an executable, or a folder with a Package.swift")
    }
    guard isFolder.boolValue else {
      if path.hasSuffix("Package.swift") {
        return try executable(
          URL(filePath: path).deletingLastPathComponent().path(percentEncoded: false), product: product, stop: stop,
          note: note)
      }
      guard unsafe access(path, X_OK) == 0 else { throw CarFailure(.badInput, "\(path) is not an executable") }
      guard product == nil else {
        throw CarFailure(.usage, "--product names an executable of a package, and \(path) is an executable itself")
      }
      // Without a folder in the path, the system would search the program in PATH.
      return path.contains("/") ? path : "./\(path)"
    }
    guard
      FileManager.default.fileExists(
        atPath: URL(filePath: path).appending(path: "Package.swift").path(percentEncoded: false))
    else {
      throw CarFailure(.noInput, "\(path) has no Package.swift; name an executable, or the folder of a package")
    }
    let name = try Self.product(of: path, wanted: product, stop: stop)
    note("building \(name) of \(path); the first time takes minutes")
    _ = try swift(["build", "--package-path", path, "--product", name], of: path, stop: stop, note: note)
    let folder = try swift(["build", "--package-path", path, "--show-bin-path"], of: path, stop: stop) { _ in }
    guard let line = folder.last(where: { $0.hasPrefix("/") }) else {
      throw CarFailure(.unavailable, "\(path): swift build does not say where the program is")
    }
    return "\(line)/\(name)"
  }

  /// The parts of `swift package describe` that name executables.
  private struct Description: Decodable {
    struct Product: Decodable {
      var name: String
      var type: [String: Kind?]
    }
    /// The kind of a product, whose value is not used.
    struct Kind: Decodable {
      init(from decoder: any Decoder) throws {}
    }

    var products: [Product]
  }

  private static func product(of path: String, wanted: String?, stop: StopRequest) throws(CarFailure) -> String {
    let lines = try swift(
      ["package", "--package-path", path, "describe", "--type", "json"], of: path, stop: stop
    ) { _ in }
    let text = lines.drop { !$0.hasPrefix("{") }.joined(separator: "\n")
    let names: [String]
    do {
      let description = try JSONDecoder().decode(Description.self, from: Data(text.utf8))
      names = description.products.filter { $0.type.keys.contains("executable") }.map(\.name).sorted()
    } catch { throw CarFailure(.badInput, "\(path): swift package describe printed no description of a package") }
    let list = names.joined(separator: ", ")
    if let wanted {
      guard names.contains(wanted) else {
        throw CarFailure(.usage, "\(path) has no executable \(wanted); it has \(names.isEmpty ? "none" : list)")
      }
      return wanted
    }
    guard let first = names.first else {
      throw CarFailure(.badInput, "\(path) has no executable; its main calls CarApplication.run")
    }
    guard names.count == 1 else {
      throw CarFailure(.usage, "\(path) has several executables: name one with --product: \(list)")
    }
    return first
  }

  /// The largest accepted output in bytes; the rest is dropped. A package description has a hundredth of it.
  private static let maximumOutput = 16 << 20

  /// Runs the command `swift` and returns the lines of its output. The command's errors go to the user.
  private static func swift(
    _ arguments: [String], of path: String, stop: StopRequest, note: (String) -> Void
  ) throws(CarFailure) -> [String] {
    var environment = ProcessInfo.processInfo.environment
    // Without this variable SwiftPM may compile current code again, see tools/shell/build.sh.
    environment["SWIFT_DETERMINISTIC_HASHING"] = "1"
    let process: SpawnedProcess
    let output: Int32
    do throws(SystemProblem) {
      let pipe = try Descriptors.pipe()
      output = pipe.reading
      let nothing = try Descriptors.nothing()
      defer { Descriptors.close(pipe.writing, nothing) }
      process = try SpawnedProcess(
        ["swift"] + arguments, environment: environment,
        descriptors: [STDIN_FILENO: nothing, STDOUT_FILENO: pipe.writing, STDERR_FILENO: STDERR_FILENO])
    } catch { throw CarFailure(.unavailable, "swift cannot be started: \(error.text); \(path) is a package") }
    defer { close(output) }
    var lines: [String] = []
    var text = LineBuffer(limit: 1 << 16, splits: true)
    var count = 0
    var buffer = [UInt8](repeating: 0, count: 1 << 16)
    while true {
      var ready = [stop.descriptor, output].map { pollfd(fd: $0, events: Int16(POLLIN), revents: 0) }
      let number = unsafe poll(&ready, nfds_t(ready.count), -1)
      if number < 0 { continue }
      guard ready[0].revents == 0 else {
        process.kill()
        _ = process.wait()
        throw CarFailure(.stopped, "stopped")
      }
      let read = unsafe read(output, &buffer, buffer.count)
      guard read > 0 else { break }
      count += read
      guard count <= maximumOutput else { continue }
      for line in text.add(buffer[..<read]) {
        let line = String(decoding: line, as: UTF8.self)
        lines.append(line)
        // A progress line for each of hundreds of files, such as `[12/400] Compiling …`, would hide the errors.
        if !line.hasPrefix("["), !line.isEmpty { note(line) }
      }
    }
    let rest = text.takeRest()
    if !rest.isEmpty { lines.append(String(decoding: rest, as: UTF8.self)) }
    guard process.wait() == .exit(0) else {
      throw CarFailure(.unavailable, "\(path): swift \(arguments.first ?? "") failed, see above")
    }
    return lines
  }
}
