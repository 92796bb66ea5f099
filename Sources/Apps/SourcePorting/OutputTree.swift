// swift-iap2 · Apache-2.0

import Glibc

/// A folder that takes ported files. Nothing outside it is written: links in it are not followed.
struct OutputTree: Sendable {
  let path: String

  /// The last line of every ported file. Only files with it, and files that are equal already, are replaced.
  static let mark = "// Made by iap2 port from a source for Apple's systems. The next run replaces this file."

  /// Returns a text with the mark as its last line. The lines before it keep their numbers.
  static func marked(_ text: String) -> String {
    if isMarked(text.utf8) { return text }
    return text + (text.isEmpty || text.hasSuffix("\n") ? "" : "\n") + mark + "\n"
  }

  private static func isMarked(_ text: some BidirectionalCollection<UInt8>) -> Bool {
    text.suffix(mark.utf8.count + 2).elementsEqual("\n\(mark)\n".utf8) || text.elementsEqual("\(mark)\n".utf8)
  }

  /// The path of a file in the folder, for reports.
  func path(of file: [String]) -> String {
    (path.hasSuffix("/") ? path : path + "/") + file.joined(separator: "/")
  }

  /// Throws if a ported file may not be written.
  func check(_ file: [String], _ text: String, sources: Set<FileIdentity>) throws(PortRun.Failure) {
    let shown = path(of: file)
    guard let parent = try folder(of: file, creates: false), let name = file.last else { return }
    let number = unsafe openat(parent.number, name, O_RDONLY | O_NOFOLLOW | O_CLOEXEC | O_NONBLOCK)
    guard number >= 0 else {
      switch errno {
      case ENOENT: return
      case ELOOP: throw .replacesForeignFile(shown)
      default: throw .system(shown, errno)
      }
    }
    let old = Descriptor(number)
    guard let status = old.status else { throw .system(shown, errno) }
    guard !sources.contains(FileIdentity(status)) else { throw .replacesSource(shown) }
    // A ported file is longer than its source by its mark, and by `Selector` and imports.
    guard status.st_mode & S_IFMT == S_IFREG, let bytes = old.read(limit: 2 * SourceFile.byteLimit),
      Self.isMarked(bytes) || bytes.elementsEqual(text.utf8)
    else { throw .replacesForeignFile(shown) }
  }

  /// Writes a file. An old one is there until the new one is complete.
  func write(_ text: String, to file: [String]) throws(PortRun.Failure) {
    let shown = path(of: file)
    guard let parent = try folder(of: file, creates: true), let name = file.last else { return }
    let partial = ".\(name).partial"
    unsafe unlinkat(parent.number, partial, 0)
    let number = unsafe openat(parent.number, partial, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0o666)
    guard number >= 0 else { throw .system(shown, errno) }
    let output = Descriptor(number)
    var rest = Array(text.utf8)[...]
    while !rest.isEmpty {
      let count = unsafe rest.withUnsafeBytes { unsafe Glibc.write(output.number, $0.baseAddress, $0.count) }
      if count < 0, errno == EINTR { continue }
      guard count > 0 else { throw failed(parent, partial, shown) }
      rest = rest.dropFirst(count)
    }
    guard unsafe renameat(parent.number, partial, parent.number, name) == 0 else {
      throw failed(parent, partial, shown)
    }
  }

  private func failed(_ parent: Descriptor, _ partial: String, _ shown: String) -> PortRun.Failure {
    let number = errno
    unsafe unlinkat(parent.number, partial, 0)
    return .system(shown, number)
  }

  /// Opens the folder of a file.
  ///
  /// - Returns: nil if it does not exist and is not to be created.
  private func folder(of file: [String], creates: Bool) throws(PortRun.Failure) -> Descriptor? {
    if creates { try createRoot() }
    guard var current = try opened(AT_FDCWD, path, follows: true, shown: path) else { return nil }
    var shown = path
    for name in file.dropLast() {
      shown += "/" + name
      if creates, unsafe mkdirat(current.number, name, 0o777) != 0, errno != EEXIST { throw .system(shown, errno) }
      guard let next = try opened(current.number, name, follows: false, shown: shown) else { return nil }
      current = next
    }
    return current
  }

  private func opened(
    _ parent: Int32, _ name: String, follows: Bool, shown: String
  ) throws(PortRun.Failure) -> Descriptor? {
    let number = unsafe openat(parent, name, O_RDONLY | O_DIRECTORY | O_CLOEXEC | (follows ? 0 : O_NOFOLLOW))
    if number >= 0 { return Descriptor(number) }
    if errno == ENOENT { return nil }
    // A link in the folder may lead out of it.
    throw errno == ELOOP ? .replacesForeignFile(shown) : .system(shown, errno)
  }

  /// Creates the folder with its parents.
  private func createRoot() throws(PortRun.Failure) {
    var current = path.hasPrefix("/") ? "/" : ""
    for part in path.split(separator: "/") {
      current += part + "/"
      if unsafe mkdir(current, 0o777) != 0, errno != EEXIST { throw .system(current, errno) }
    }
  }
}
