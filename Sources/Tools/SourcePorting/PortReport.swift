// swift-iap2 · Apache-2.0

import Basics

/// The result of a run: what changed in each source, what was left, and which sources could not be read.
public struct PortReport: Sendable, Encodable {
  /// A ported source.
  public struct File: Sendable, Encodable {
    /// The path of the source, as the user gave it.
    public var source: String
    /// The path of the ported file; nil without a folder.
    public var output: String?
    /// The changes, in the order of the source.
    public var changes: [PortedSource.Change]
    /// The code that was not carried over, in the order of the source.
    public var left: [PortedSource.Remainder]
  }

  /// A source that was not read.
  public struct Unreadable: Sendable, Encodable {
    /// The path of the source.
    public var source: String
    /// The reason.
    public var reason: String
  }

  /// The file that registers the classes that iOS creates by their names.
  public struct Registration: Sendable, Encodable {
    /// The path of the file; nil without a folder.
    public var output: String?
    /// The names of the classes, without their module.
    public var classes: [String]
  }

  /// A package that ported sources import.
  public struct Package: Sendable, Encodable {
    /// The product that the target of the ported sources needs.
    public var product: String
    /// The address of the package.
    public var url: String
    /// The first version.
    public var from: String
  }

  /// The sources that were read, and those in Objective-C below a folder.
  public internal(set) var files: [File] = []
  /// The sources that were not read. They have no ported file.
  public internal(set) var unreadable: [Unreadable] = []
  /// The registration of the app's delegates; nil if the sources have none, or are not those of an app for CarPlay.
  public internal(set) var registration: Registration?
  /// The packages that the ported sources import beside this project.
  public internal(set) var packages: [Package] = []
  /// The ported files that are removed, because their sources do not exist any more, or have another one.
  public internal(set) var removed: [String] = []
  /// The ported files of such sources that stay, because they were edited.
  public internal(set) var kept: [String] = []
  /// Whether ported files were written or removed.
  public internal(set) var isWritten = false

  /// The number of changes in all sources.
  public var changeCount: Int { files.reduce(0) { $0 + $1.changes.count } }
  /// The number of pieces of code that were not carried over, in all sources.
  public var leftCount: Int { files.reduce(0) { $0 + $1.left.count } }

  /// The result as text: a line for each change and for each piece that was left, and a summary.
  public var lines: [String] {
    var lines: [String] = []
    for file in files {
      let changes = file.changes.map { ($0.position, "\($0.was) → \($0.becomes.isEmpty ? "removed" : $0.becomes)") }
      let left = file.left.map { ($0.position, "left: \($0.code.isEmpty ? "" : $0.code + ": ")\($0.reason)") }
      let all = (changes + left).sorted { ($0.0.line, $0.0.column) < ($1.0.line, $1.0.column) }
      lines += all.map { "\(file.source.printable):\($0.0.line):\($0.0.column): \($0.1)" }
    }
    if let registration {
      let name = registration.output ?? DelegateRegistration.fileName
      lines.append("\(name.printable): registers \(registration.classes.joined(separator: ", "))")
    }
    lines += packages.map { package in
      let name = package.url.split(separator: "/").last ?? ""
      return "Package.swift needs .package(url: \"\(package.url)\", from: \"\(package.from)\"), and the target"
        + " .product(name: \"\(package.product)\", package: \"\(name)\")"
    }
    let reason = "its source does not exist any more, or has another ported file"
    lines += removed.map { "\($0.printable): \(isWritten ? "removed" : "to be removed"), because \(reason)" }
    lines += kept.map { "\($0.printable): stays, because it was edited; \(reason)" }
    let verb = isWritten ? "written" : "read, nothing written"
    return lines + [
      "\(Self.count(files.count { !SourceList.isObjectiveC($0.source) }, "file")) \(verb), \(Self.count(changeCount, "change")), \(leftCount) left"
    ]
  }

  private static func count(_ number: Int, _ noun: String) -> String { "\(number) \(noun)\(number == 1 ? "" : "s")" }

  private enum Key: String, CodingKey {
    case files, unreadable, registration, packages, removed, kept, changes, left, written
  }

  /// Encodes the report as one object.
  public func encode(to encoder: any Encoder) throws {
    var object = encoder.container(keyedBy: Key.self)
    try object.encode(files, forKey: .files)
    try object.encode(unreadable, forKey: .unreadable)
    try object.encodeIfPresent(registration, forKey: .registration)
    if !packages.isEmpty { try object.encode(packages, forKey: .packages) }
    if !removed.isEmpty { try object.encode(removed, forKey: .removed) }
    if !kept.isEmpty { try object.encode(kept, forKey: .kept) }
    try object.encode(changeCount, forKey: .changes)
    try object.encode(leftCount, forKey: .left)
    try object.encode(isWritten, forKey: .written)
  }
}

extension PortedSource.Change: Encodable {
  private enum Key: String, CodingKey { case line, column, was, becomes }

  /// Encodes the change as one object.
  public func encode(to encoder: any Encoder) throws {
    var object = encoder.container(keyedBy: Key.self)
    try object.encode(position.line, forKey: .line)
    try object.encode(position.column, forKey: .column)
    try object.encode(was, forKey: .was)
    try object.encode(becomes, forKey: .becomes)
  }
}

extension PortedSource.Remainder: Encodable {
  private enum Key: String, CodingKey { case line, column, code, reason }

  /// Encodes the piece of code as one object.
  public func encode(to encoder: any Encoder) throws {
    var object = encoder.container(keyedBy: Key.self)
    try object.encode(position.line, forKey: .line)
    try object.encode(position.column, forKey: .column)
    try object.encode(code, forKey: .code)
    try object.encode(reason, forKey: .reason)
  }
}
