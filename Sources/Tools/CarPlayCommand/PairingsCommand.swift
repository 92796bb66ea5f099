// swift-iap2 · Apache-2.0

package import ArgumentParser
import CarPlayLive
import CarPlaySession
import CommandSupport
import IAP2

/// The pairings of CarPlay sessions that are stored on this machine.
package struct PairingsCommand: ParsableCommand {
  package static let configuration = CommandConfiguration(
    commandName: "pairings", abstract: "List or forget the pairings of CarPlay sessions.",
    discussion: """
      Each role has a file with its own identity and the sides that are paired with it. Its mode is 0600. The private \
      key is never printed. A session that runs knows its pairings until it ends.

      Examples:
        iap2 pairings list
        iap2 pairings forget 5A0B5B3F-3C2E-4BD2-9C0F-0F6B0E0F9C51
        iap2 pairings forget --all --pairings mine.json
      """,
    subcommands: [List.self, Forget.self])

  package init() {}

  /// The files that a subcommand uses.
  struct Files: ParsableArguments {
    @Option(
      help: ArgumentHelp("The file (default: both roles' files in the state folder of XDG).", valueName: "file"),
      completion: .file())
    var pairings: String?

    func open() throws -> [(role: String, file: PairingFile)] {
      let paths =
        pairings.map { [("file", $0)] }
        ?? [SessionSide.headUnit, .phone].map { ($0.eventName, PairingFile.standardPath(of: $0)) }
      var files: [(String, PairingFile)] = []
      for (role, path) in paths {
        do throws(PairingFile.Problem) {
          if let file = try PairingFile(existing: path) { files.append((role, file)) }
        } catch { throw error.failure }
      }
      guard pairings == nil || !files.isEmpty else { throw CommandFailure(.noInput, "no such file: \(pairings ?? "")") }
      return files
    }
  }

  private struct Line: Encodable {
    var role, path, own, identifier, publicKey: String
  }

  struct List: ParsableCommand {
    static let configuration = CommandConfiguration(abstract: "List the sides that are paired.")

    @OptionGroup var files: Files
    @Flag(help: "One JSON object per line.") var json = false

    func run() throws {
      var count = 0
      for (role, file) in try files.open() {
        for peer in file.peers {
          count += 1
          let line = Line(
            role: role, path: file.path, own: file.identity.identifier, identifier: peer.identifier,
            publicKey: peer.publicKey)
          if json {
            try Output.json(line)
          } else {
            Output.line("\(role)  \(peer.identifier.printable)  \(peer.publicKey)")
          }
        }
      }
      if count == 0, !json {
        Output.note("no pairings; a head unit and a phone pair when they meet: iap2 help carplay")
      }
    }
  }

  struct Forget: ParsableCommand {
    static let configuration = CommandConfiguration(abstract: "Forget sides, so that they pair again.")

    @OptionGroup var files: Files
    @Argument(help: "The identifiers of the sides.") var identifiers: [String] = []
    @Flag(help: "Forget all pairings.") var all = false

    func validate() throws {
      guard all != !identifiers.isEmpty else { throw ValidationError("give identifiers, or --all") }
    }

    func run() throws {
      var left = Set(identifiers)
      var count = 0
      for (_, file) in try files.open() {
        var file = file
        let removed = file.peers.map(\.identifier).filter { all || identifiers.contains($0) }
        left.subtract(removed)
        do throws(PairingFile.Problem) { count += try file.remove { removed.contains($0.identifier) } } catch {
          throw error.failure
        }
      }
      guard left.isEmpty else {
        throw CommandFailure(
          .noInput, "no pairing with \(left.sorted().joined(separator: ", ")); iap2 pairings list shows them")
      }
      Output.note("forgot \(count) pairing\(count == 1 ? "" : "s")")
    }
  }
}
