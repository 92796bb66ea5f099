// swift-iap2 · Apache-2.0

public import ArgumentParser
import Glibc
public import SourcePorting

/// The arguments and the work of `iap2 port` and `iap2-port`, which print the results in their own ways.
public struct PortArguments: ParsableArguments {
  @Argument(
    help: ArgumentHelp("The sources, or folders with sources below them.", valueName: "source"), completion: .file())
  var sources: [String]

  @Option(
    name: [.customShort("o"), .customLong("output")],
    help: ArgumentHelp("The folder for the ported files. It is created if it does not exist.", valueName: "folder"),
    completion: .directory)
  var output: String?

  @Flag(
    name: .customLong("carplay"),
    help: "Port the sources as those of an app for CarPlay, even if none of them imports CarPlay.")
  var isCarPlay = false

  @Flag(name: .customLong("ios"), help: "Compile code behind #if os(iOS): os(Linux) takes its place in conditions.")
  var isIOS = false

  @Flag(help: "Replace ported files that were edited after port made them.")
  var force = false

  @Flag(help: "Write nothing. Report what would change, and which files cannot be written to the folder of -o.")
  var check = false

  @Flag(help: "Print one JSON object.")
  public var json = false

  /// Creates arguments for the parser.
  public init() {}

  /// Checks that the arguments fit together.
  public func validate() throws {
    guard check || output != nil else {
      throw ValidationError("port changes nothing in place: name a folder with -o FOLDER, or give --check")
    }
    guard output != "" else { throw ValidationError("-o has an empty name; name a folder, such as -o Ported") }
    guard !sources.contains("") else { throw ValidationError("a source has an empty name") }
  }

  /// The description of a command with these arguments.
  public static func configuration(_ commandName: String, examples name: String) -> CommandConfiguration {
    CommandConfiguration(
      commandName: commandName,
      abstract: "Make Swift source for Apple's systems compile on Linux, with ExternalAccessory or CarPlay.",
      discussion: """
        Writes a copy of each source to a folder and reports every change. Removes @objc, @objcMembers and @nonobjc, \
        turns #selector into Selector of the module ExternalAccessory, states that a protocol of @objc is one of \
        classes, replaces an import of UIKit that nothing uses, and adds an import of ExternalAccessory where the \
        source uses names that Foundation lacks on Linux. Where it uses names that are in FoundationNetworking or \
        FoundationXML there, adds an import of these. The loggers of os and OSLog come from LogSupport, a module of \
        the products ExternalAccessory and CarPlay. Combine becomes OpenCombineShim, a product of the package \
        OpenCombine, and the report says what Package.swift needs. Comments and strings stay as they are, and every line keeps its \
        number. Code that cannot be carried over stays as it is and is reported with the reason: other imports of \
        Apple's modules, optional members of protocols, selectors of texts, outlets and actions, key-value \
        observation, and code that #if gives to Apple's systems only.

        If a source imports CarPlay, all sources are those of an app for CarPlay, which has UIKit, MapKit and other \
        modules on Linux. Then UIKit takes the place of ExternalAccessory, and these changes are made, too: \
        #available with a version of iOS becomes a call of iOSVersionIsAtLeast, so that the emulated version \
        decides; @IBOutlet, @IBAction, @IBInspectable and @IBDesignable are removed, and each outlet is reported, \
        because no storyboard sets it; @UIApplicationMain, and @main of a delegate of the application, are removed; \
        optional functions of protocols get default bodies if they return nothing or an optional value. \
        PortedSceneDelegates.swift in the folder registers each class that adopts a delegate of scenes or of the \
        application, so that a host can create it by the name in Info.plist: call PortedSceneDelegates.register() \
        before the app starts.

        A function that a protocol declares as optional gets a default body, so every object has it on Linux. A use \
        that depends on its absence (?? after the call, == nil, if let) stays and is reported.

        Each source keeps its path below the deepest folder that has all sources. A ported file ends with a line that \
        has a checksum and the path of its source. The next run replaces the file, and removes it if its source was \
        in a folder of this run and does not exist any more. Nothing is removed while a source cannot be read. A file \
        that was edited is not replaced without --force, and never removed; a file that port has not made is never \
        replaced.

        Exit codes: 0 everything was carried over, 1 something was left, 64 the command line is wrong or a file would \
        be replaced, 65 a source is not readable, not Swift or not UTF-8 (the other sources are ported), 66 the folder \
        cannot be written, 77 it may not be written.

        Examples:
          \(name) Sources/App/PrinterSession.swift -o Ported
          \(name) Sources/App -o Ported --json
          \(name) Sources/App --check
        """)
  }

  /// Ports the sources.
  public func run() throws(PortRun.Failure) -> PortReport {
    try PortRun(sources: sources, folder: output, isCarPlay: isCarPlay ? true : nil, isIOS: isIOS, isForced: force).run(
      writes: !check)
  }
}

extension PortReport {
  /// The exit code of a command with this result.
  public var exitCode: Int32 {
    if !unreadable.isEmpty { return 65 }
    return leftCount > 0 ? 1 : 0
  }
}

extension PortReport.Unreadable {
  /// The line for the user.
  public var text: String { "cannot read \(source): \(reason); nothing was written for it" }
}

extension PortRun.Failure {
  /// The exit code of a command with this failure.
  public var exitCode: Int32 {
    switch self {
    case .replacesSource, .replacesForeignFile, .replacesEditedFile, .takesName: 64
    case .system(_, EACCES), .system(_, EPERM), .system(_, EROFS): 77
    case .system: 66
    }
  }

  /// The line for the user.
  public var text: String {
    switch self {
    case .replacesSource(let path): "\(path) is a source and stays as it is; nothing was written; name another folder"
    case .replacesForeignFile(let path):
      "\(path) exists and was not made by port; nothing was written; remove it, or name another folder"
    case .replacesEditedFile(let path):
      "\(path) was edited after port made it; nothing was written; keep the edit elsewhere, or give --force"
    case .takesName(let path):
      "\(path) is to register the app's delegates, and a source has its name; nothing was written; rename the source"
    case .system(let path, let number): "cannot write \(path): \(unsafe String(cString: strerror(number)))"
    }
  }
}
