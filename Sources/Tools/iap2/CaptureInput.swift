// swift-iap2 · Apache-2.0

import ArgumentParser
import CarPlayCapture
import CommandSupport
import Foundation
import Glibc
import IAP2
import IAP2Capture

/// The options with the secrets of CarPlay sessions.
struct SessionKeyOptions: ParsableArguments {
  @Option(
    name: .customLong("key-log"),
    help: ArgumentHelp(
      "The secrets of the capture's CarPlay sessions, as --key-log of the commands that play them writes it. Repeatable.",
      valueName: "file"))
  var keyLogs: [String] = []

  /// The largest key log in bytes; a secret has a kilobyte at most.
  private static let keyLogLimit = 64 << 20

  /// Returns the secrets of the key logs.
  func secrets() throws -> SessionSecrets {
    var secrets = SessionSecrets()
    for path in keyLogs {
      let problems = secrets.add(try InputFile.bytes(path, limit: Self.keyLogLimit))
      for problem in problems { Output.note("\(path): line \(problem.line) is left out: \(problem.reason)") }
      if problems.count == SessionSecrets.maximumProblemCount {
        Output.note("\(path): further bad lines are left out and not named")
      }
    }
    if secrets.count == 0, let path = keyLogs.first {
      Output.note("no secret in \(path), as after a session that ends before the sides agree; a line has three words")
    }
    return secrets
  }
}

/// The options for reading a capture, for every command that reads one.
struct CaptureOptions: ParsableArguments {
  @Option(
    help: "The input is raw bytes that this side sent: accessory or device.",
    transform: { text in
      guard let side = Side(rawValue: text) else { throw ValidationError("a side is accessory or device, not \(text)") }
      return side
    })
  var from: Side?

  @Flag(help: "Exchange the sides: the side that looks like the accessory is the device.") var swap = false

  @Option(
    help: ArgumentHelp(
      "Regular expression for the lines of a text log, with the group hex and optionally time, dir, conn and length. Write (?<dir>[^ ]+), not (?<dir>.*), which can be very slow.",
      valueName: "regex"))
  var pattern: String?

  @Option(
    name: .customLong("accessory-pattern"),
    help: ArgumentHelp("The same for lines with bytes that the accessory sent.", valueName: "regex"))
  var accessoryPatterns: [String] = []

  @Option(
    name: .customLong("device-pattern"),
    help: ArgumentHelp("The same for lines with bytes that the device sent.", valueName: "regex"))
  var devicePatterns: [String] = []

  @Option(
    name: .customLong("accessory-word"),
    help: ArgumentHelp("The log's word for bytes that the accessory sent.", valueName: "word"))
  var accessoryWords: [String] = []

  @Option(
    name: .customLong("device-word"),
    help: ArgumentHelp("The log's word for bytes that the device sent.", valueName: "word"))
  var deviceWords: [String] = []

  @OptionGroup var sessions: SessionKeyOptions

  func validate() throws { _ = try log() }

  var options: CaptureAnalyzerOptions {
    get throws { try options() }
  }

  /// Returns the options.
  ///
  /// - Parameters:
  ///   - secrets: The secrets of the key logs, if they were read before; nil to read them.
  ///   - extract: Receives the content of CarPlay streams; nil for none.
  ///   - recorder: Records a CarPlay session; nil for none.
  ///   - copy: Receives a copy of the capture with its CarPlay sessions in the clear; nil for none.
  ///   - capture: The capture whose own secrets are read first; nil to read them in their places.
  ///   - explains: Whether each CarPlay session is explained at its end.
  ///   - sortsPackets: Whether packets are read in the order of their times.
  ///   - reportsFindings: Whether the findings of CarPlay sessions are of use.
  func options(
    secrets: SessionSecrets? = nil, extract: Extraction? = nil, recorder: CarPlayRecorder? = nil,
    copy: DecryptedOutput? = nil, capture: String? = nil, explains: Bool = false, sortsPackets: Bool = false,
    reportsFindings: Bool = true
  ) throws -> CaptureAnalyzerOptions {
    var options = CaptureAnalyzerOptions()
    if let from { options.format = .raw(from) }
    options.swapsSides = swap
    options.log = try log()
    var reader = CarPlaySessions(
      try secrets ?? sessions.secrets(), extract: extract, recorder: recorder, copy: copy,
      explains: explains, sortsPackets: sortsPackets, reportsFindings: reportsFindings)
    if let capture { reader.take(secrets: try CaptureInput.secrets(of: capture)) }
    options.sessions = reader
    return options
  }

  private func log() throws -> TextLog? {
    let sides = accessoryPatterns.map { ($0, Side.accessory) } + devicePatterns.map { ($0, Side.device) }
    guard pattern != nil || !sides.isEmpty || !accessoryWords.isEmpty || !deviceWords.isEmpty else { return nil }
    guard from == nil else { throw ValidationError("--from is for raw bytes, which have no lines") }
    let words = accessoryWords.map { ($0, Side.accessory) } + deviceWords.map { ($0, Side.device) }
    do throws(TextLog.Problem) {
      return try TextLog(pattern: pattern, sides: sides, words: Dictionary(words) { first, _ in first })
    } catch {
      switch error {
      case .notAPattern(let reason): throw ValidationError("a pattern is not a regular expression: \(reason)")
      case .missingGroup: throw ValidationError("a pattern has no group for the bytes: (?<hex>…)")
      }
    }
  }
}

/// The options that select findings of a capture.
struct FilterOptions: ParsableArguments {
  @Option(
    help: ArgumentHelp(
      "Show only findings that match this filter; `iap2 decode --help` describes the syntax.", valueName: "expression"),
    transform: { text in
      do throws(FilterError) { return try FindingFilter(parsing: text) } catch {
        throw ValidationError(FilterText.text(error))
      }
    })
  var filter: FindingFilter?
}

/// A reader of a capture's bytes, in pieces of any size.
struct CaptureInput {
  private let handle: FileHandle
  private let path: String
  /// The watcher of a file that still grows; nil without `--follow`.
  private let follow: FollowedFile?
  private let progress: ReadProgress?

  private static let chunkByteCount = 1 << 20

  /// - Parameters:
  ///   - follows: whether reading waits at the end of the file for more, until Ctrl-C.
  ///   - showsProgress: whether progress is shown if stderr is a terminal. Must be false while the same terminal shows
  ///     the result.
  init(_ path: String, follows: Bool = false, showsProgress: Bool = true) throws {
    self.path = path
    handle = path == "-" ? .standardInput : try InputFile.open(path)
    let byteCount = path == "-" ? nil : Self.regularByteCount(path)
    // A pipe has no position, and the end of its input is final.
    let hasPlace = lseek(handle.fileDescriptor, 0, SEEK_CUR) >= 0
    follow = follows && hasPlace ? FollowedFile(handle.fileDescriptor) : nil
    progress = showsProgress && !follows ? ReadProgress(byteCount: byteCount) : nil
  }

  /// The largest capture whose secrets are read before its packets.
  private static let secretsByteCount = 64 << 20

  /// Returns the secrets in a capture. A program that captures its own session writes a secret behind the answer that
  /// leads to it, and an answer is opened only with a secret that was read before.
  static func secrets(of path: String) throws -> [UInt8] {
    guard path != "-", let count = regularByteCount(path), count <= secretsByteCount else { return [] }
    let input = try CaptureInput(path, showsProgress: false)
    var reader = SecretsReader()
    while let bytes = try input.next(), reader.append(bytes) {}
    return reader.text
  }

  /// Whether the input is a file that can be read a second time.
  var isRegular: Bool { path != "-" && Self.regularByteCount(path) != nil }

  private static func regularByteCount(_ path: String) -> Int? {
    // Without attributes, the file was deleted after it was opened.
    do {
      let attributes = try FileManager.default.attributesOfItem(atPath: path)
      return attributes[.type] as? FileAttributeType == .typeRegular ? attributes[.size] as? Int : nil
    } catch {
      return nil
    }
  }

  /// Returns the next bytes, or nil at the end.
  func next() throws -> [UInt8]? {
    while true {
      if let follow, follow.isEnded { return nil }
      let bytes = try read()
      progress?.add(bytes.count)
      if !bytes.isEmpty { return bytes }
      guard let follow, try follow.waitForMore(path) else { return nil }
    }
  }

  /// Returns the available bytes without waiting for more; empty at the end.
  private func read() throws -> [UInt8] {
    var failure: Int32 = 0
    let bytes = unsafe [UInt8](unsafeUninitializedCapacity: Self.chunkByteCount) { buffer, count in
      var result = unsafe Glibc.read(handle.fileDescriptor, buffer.baseAddress, buffer.count)
      while result < 0, errno == EINTR {
        result = unsafe Glibc.read(handle.fileDescriptor, buffer.baseAddress, buffer.count)
      }
      if result < 0 { failure = errno }
      count = max(0, result)
    }
    guard failure == 0 else {
      throw CommandFailure(.noInput, "cannot read \(Self.name(of: path)): \(unsafe String(cString: strerror(failure)))")
    }
    return bytes
  }

  /// Prints how the capture was read, where its user should know it.
  ///
  /// - Parameter isRead: Whether iAP2 was found. The sides of bytes without iAP2 are of no use.
  static func show<Sink>(_ analyzer: CaptureAnalyzer<Sink>, of path: String, isRead: Bool = true) {
    for notice in analyzer.notices where isRead || notice.flow == nil {
      Output.note("\(name(of: path)): \(CaptureNoticeText.text(notice))")
    }
  }

  /// Prints that the file is damaged, if it is.
  static func showDamage<Sink>(_ analyzer: CaptureAnalyzer<Sink>, of path: String) {
    let count = analyzer.counts.damaged
    guard count > 0 else { return }
    Output.note("\(name(of: path)) is damaged in \(count) place\(count == 1 ? "" : "s"): `iap2 decode` shows them")
  }

  /// Returns the error for a capture without iAP2: its contents or its look, and how that can be read.
  static func nothing<Sink>(in path: String, _ analyzer: CaptureAnalyzer<Sink>) -> String {
    let name = name(of: path)
    let counts = analyzer.counts
    if counts.byteCount == 0 { return "\(name) is empty" }
    let start = "nothing in \(name) could be decoded as iAP2"
    if let look = analyzer.reader.look { return "\(start): \(look.text)" }
    if analyzer.usb.devices.contains(where: \.concernsIAP2) {
      return "\(start)\(counts.contents ?? ""). They lead towards iAP2: iap2 explain names the step at which they stop"
    }
    guard let contents = counts.contents else { return "\(start); raw bytes of one side are read with --from" }
    if analyzer.reader.textReading?.lacksMatches == true { return start + contents + "; no line matches a pattern" }
    let hasLines = analyzer.reader.textReading?.form == .lines
    if counts.network > 0 {
      return "\(start)\(contents); without --key-log, a CarPlay session is read from its first request on"
    }
    return start + contents + (hasLines ? "; if these lines have bytes of link packets, --pattern says where" : "")
  }

  private static func name(of path: String) -> String { path == "-" ? "standard input" : path }
}
