// swift-iap2 · Apache-2.0

import Cryptography
import Foundation

/// The files of the page.
struct LabPage: Sendable {
  struct File: Sendable {
    var bytes: [UInt8]
    var type: String
  }

  static let files: [String: File] = {
    var files: [String: File] = [:]
    for (name, bytes) in PageFiles.all {
      files[name] = File(bytes: bytes, type: types[name.split(separator: ".").last ?? ""] ?? "application/octet-stream")
    }
    return files
  }()

  private static let types: [Substring: String] = [
    "html": "text/html; charset=utf-8", "css": "text/css; charset=utf-8", "js": "text/javascript; charset=utf-8",
  ]

  /// The policy of the page: its own files alone, and the one script inside it, which names the modules.
  static let policy: String = {
    let scripts = inlineScripts.map {
      "'sha256-\(Data(HashFunction.sha256.hash(Array($0.utf8))).base64EncodedString())'"
    }
    return [
      "default-src 'none'", (["script-src 'self'"] + scripts).joined(separator: " "), "style-src 'self'",
      "img-src 'self' blob: data:", "connect-src 'self'", "base-uri 'none'", "form-action 'none'",
      "frame-ancestors 'none'",
    ].joined(separator: "; ")
  }()

  private static var index: String { String(decoding: files["index.html"]?.bytes ?? [], as: UTF8.self) }

  /// The texts of the scripts inside the page.
  private static var inlineScripts: [String] {
    index.components(separatedBy: "<script type=\"importmap\">").dropFirst().compactMap {
      $0.components(separatedBy: "</script>").first
    }
  }

  /// The page as one file with a session inside, which needs no server.
  ///
  /// - Parameter record: The session as JSON.
  static func offline(record: String) -> String {
    var page = index
    for (name, file) in files where name.hasSuffix(".js") {
      page = page.replacing("\"./\(name)\"", with: "\"\(address(file))\"")
    }
    // A module that is a file of its own would be one of another origin.
    page = page.replacing(mainScript, with: "<script type=\"module\">import \"lab/main\";</script>")
    if let style = files["lab.css"] {
      page = page.replacing(styleLink, with: "<style>\(String(decoding: style.bytes, as: UTF8.self))</style>")
    }
    // A text in the record must not end the element.
    let safe = record.replacing("<", with: "\\u003c")
    return page.replacing("</head>", with: "<script type=\"application/json\" id=\"record\">\(safe)</script>\n</head>")
  }

  /// The elements of the page that name its main module and its style.
  static let mainScript = "<script type=\"module\" src=\"main.js\"></script>"
  static let styleLink = "<link rel=\"stylesheet\" href=\"lab.css\">"

  private static func address(_ file: File) -> String {
    "data:\(file.type.replacing(" ", with: ""));base64,\(Data(file.bytes).base64EncodedString())"
  }
}
