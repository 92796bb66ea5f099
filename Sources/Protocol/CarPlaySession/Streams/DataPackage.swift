// swift-iap2 · Apache-2.0

import Basics

/// A package of a data stream (type 130), inside the frames of ``FrameSealer``. Source: CarPlaySession.md#data-package.
public struct DataPackage: Sendable, Hashable {
  /// The kind of a package. An unknown kind is kept as its letters.
  public enum Kind: Sendable, Hashable {
    /// A package that requests a reply.
    case sync
    /// The answer to a package, by its sequence number.
    case reply
    /// Another kind, as its first four bytes.
    case other(UInt32)
  }

  /// The size of a header in bytes.
  public static let headerByteCount = 32
  /// The largest size of a package with its header, in bytes. Ours: the largest property list and a header.
  public static let maximumByteCount = PropertyListLimits.byteCount + headerByteCount
  /// The command of a package with data, the letters `comm`.
  public static let dataCommand: UInt32 = 0x636F_6D6D

  private static let syncLetters: UInt32 = 0x7379_6E63, replyLetters: UInt32 = 0x7270_6C79

  /// The kind.
  public var kind: Kind
  /// The command as four letters; 0 in a reply.
  public var command: UInt32
  /// The sequence number, which a reply repeats.
  public var sequence: UInt64
  /// The bytes behind the header.
  public var body: [UInt8]

  /// Creates a package.
  public init(_ kind: Kind = .sync, command: UInt32 = DataPackage.dataCommand, sequence: UInt64, body: [UInt8] = []) {
    (self.kind, self.command, self.sequence, self.body) = (kind, command, sequence, body)
  }

  /// The data of the package, whatever its kind is; nil for a reply, another command and an empty package.
  public var data: [UInt8]? { kind != .reply && command == Self.dataCommand && !body.isEmpty ? body : nil }

  /// The reply to a package that requests one; nil for any other package.
  public var reply: DataPackage? { kind == .sync ? DataPackage(.reply, command: 0, sequence: sequence) : nil }

  /// Returns the bytes of the package.
  ///
  /// - Throws: ``DataPackageProblem/tooLong(_:)``.
  public func bytes() throws(DataPackageProblem) -> [UInt8] {
    let count = Self.headerByteCount + body.count
    guard count <= Self.maximumByteCount else { throw .tooLong(count) }
    return UInt32(count).bigEndianBytes + letters.bigEndianBytes + [UInt8](repeating: 0, count: 8)
      + command.bigEndianBytes + sequence.bigEndianBytes + [0, 0, 0, 0] + body
  }

  private var letters: UInt32 {
    switch kind {
    case .sync: Self.syncLetters
    case .reply: Self.replyLetters
    case .other(let letters): letters
    }
  }

  /// Reads a package with at least a header. The zeros behind the kind and the sequence number are not checked.
  fileprivate init(_ bytes: ArraySlice<UInt8>) {
    func part(_ offset: Int, _ size: Int) -> ArraySlice<UInt8> { bytes.dropFirst(offset).prefix(size) }
    switch UInt32(bigEndianBytes: part(4, 4)) {
    case Self.syncLetters: kind = .sync
    case Self.replyLetters: kind = .reply
    case let letters: kind = .other(letters)
    }
    command = UInt32(bigEndianBytes: part(16, 4))
    sequence = UInt64(bigEndianBytes: part(20, 8))
    body = Array(bytes.dropFirst(Self.headerByteCount))
  }
}

/// A reason why no more packages of a data stream can be read.
public enum DataPackageProblem: Error, Sendable, Hashable {
  /// The size is smaller than a header.
  case tooShort(Int)
  /// The size is above ``DataPackage/maximumByteCount``. The package is not read.
  case tooLong(Int)

  /// The problem as an event names it.
  package var valueProblem: ValueProblem {
    let count =
      switch self {
      case .tooShort(let count), .tooLong(let count): count
      }
    return ValueProblem(
      StreamType.data.name, is: "a package has \(count) bytes",
      expected: "\(DataPackage.headerByteCount) to \(DataPackage.maximumByteCount)")
  }
}

/// A reader of packages from bytes that arrive in pieces of any size.
public struct DataPackageReader: Sendable {
  private var arrived = ReceiveBuffer()

  /// Creates a reader.
  public init() {}

  /// Adds received bytes: the text of ``FrameOpener``.
  public mutating func add(_ piece: some Sequence<UInt8>) { arrived.add(piece) }

  /// Returns the next package; nil until more bytes arrive.
  ///
  /// - Throws: ``DataPackageProblem``, after which the bytes have no meaning.
  public mutating func next() throws(DataPackageProblem) -> DataPackage? {
    let bytes = arrived.unread
    guard bytes.count >= 4 else { return nil }
    let count = Int(UInt32(bigEndianBytes: bytes.prefix(4)))
    guard count >= DataPackage.headerByteCount else { throw .tooShort(count) }
    guard count <= DataPackage.maximumByteCount else { throw .tooLong(count) }
    guard bytes.count >= count else { return nil }
    let package = DataPackage(bytes.prefix(count))
    arrived.skip(count)
    return package
  }
}
