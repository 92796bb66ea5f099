// swift-iap2 · Apache-2.0

import Foundation
import IAP2Scenario

/// A reader of files that the user names, relative to a folder.
struct ReadableFile: Sendable {
  private let folder: String

  /// A reader of files relative to the working directory.
  static let workingDirectory = ReadableFile(folder: "")

  /// The largest text that is read, in bytes; more than a scenario, a certificate or a property list has.
  private static let textByteCountLimit = 1 << 20

  /// Returns a reader of files relative to the folder of a file.
  func beside(_ name: String) -> ReadableFile {
    ReadableFile(
      folder: path(name).split(separator: "/", omittingEmptySubsequences: false).dropLast()
        .map { "\($0)/" }.joined())
  }

  private func path(_ name: String) -> String { name.hasPrefix("/") ? name : folder + name }

  /// A reason why a file was not read, without its name.
  struct Reason: Error {
    var text: String
  }

  /// Returns the bytes of an ordinary file.
  func bytes(_ name: String, limit: Int = textByteCountLimit) throws(ConfigurationProblem) -> [UInt8] {
    do throws(Reason) { return try content(name, limit: limit) } catch {
      throw ConfigurationProblem("\(path(name)): \(error.text)")
    }
  }

  /// Returns the bytes of an ordinary file, as ``bytes(_:limit:)`` does.
  func content(_ name: String, limit: Int) throws(Reason) -> [UInt8] {
    let path = path(name)
    var isFolder = ObjCBool(false)
    guard unsafe FileManager.default.fileExists(atPath: path, isDirectory: &isFolder) else {
      throw Reason(text: "no such file")
    }
    // A device or a pipe may have no end.
    let attributes: [FileAttributeKey: Any]
    let data: Data?
    do {
      attributes = try FileManager.default.attributesOfItem(
        atPath: URL(filePath: path).resolvingSymlinksInPath().path(percentEncoded: false))
      guard attributes[.type] as? FileAttributeType == .typeRegular else {
        throw Reason(text: "it is \(isFolder.boolValue ? "a folder" : "a device or a pipe"), not a file")
      }
      guard attributes[.size] as? Int ?? 0 <= limit else {
        throw Reason(text: "it is larger than \(limit) bytes")
      }
      data = try FileHandle(forReadingFrom: URL(filePath: path)).read(upToCount: limit)
    } catch {
      throw error as? Reason ?? Reason(text: "it cannot be read")
    }
    return Array(data ?? Data())
  }

  /// Returns the content of a file as UTF-8.
  func text(_ name: String) throws(ConfigurationProblem) -> String {
    do throws(Reason) { return try readText(name) } catch {
      throw ConfigurationProblem("\(path(name)): \(error.text)")
    }
  }

  private func readText(_ name: String) throws(Reason) -> String {
    guard let text = String(validating: try content(name, limit: Self.textByteCountLimit), as: UTF8.self) else {
      throw Reason(text: "it is not UTF-8")
    }
    return text
  }

  /// Returns the content of a file in the place of a bundled text.
  func text(_ name: String, or kind: String, _ bundled: [String]) throws(ScenarioProblem) -> String {
    do throws(Reason) { return try readText(name) } catch {
      let names = bundled.joined(separator: ", ")
      throw ScenarioProblem(
        file: name,
        text: "\(error.text), and there is no \(kind.dropFirst(2)) of this name (\(names))")
    }
  }

  /// The reader for the files that a scenario or a profile names.
  var scenarioFiles: ScenarioFiles {
    ScenarioFiles { name throws(ScenarioFiles.Problem) in
      do throws(ConfigurationProblem) { return try self.bytes(name, limit: Self.scenarioFileByteCountLimit) } catch {
        throw ScenarioFiles.Problem(error.text)
      }
    }
  }

  /// The largest file that a scenario may name, in bytes; a track of a day has a few MiB.
  private static let scenarioFileByteCountLimit = 64 << 20
}
