// swift-iap2 · Apache-2.0

import IAP2
import IAP2Capture

/// The layer of an arrow, shown by its color and its line style.
enum DiagramLayer: String, CaseIterable {
  case link, control, externalAccessory, file, repeated, damage
  case call, event, notification
  case request, answer, content

  init(_ content: SequenceDiagram.Content) {
    self =
      switch content {
      // A comment has no arrow.
      case .detect, .synchronization, .packet(_, .plain), .comment: .link
      case .packet(_, .repeated): .repeated
      case .packet(_, .damaged), .damage: .damage
      case .message: .control
      case .externalAccessory: .externalAccessory
      case .file, .fileData: .file
      case .app(let step):
        switch step.kind {
        case .call: .call
        case .event: .event
        case .notification: .notification
        }
      case .session(let step):
        switch step.kind {
        case .request: .request
        case .answer: .answer
        case .content: .content
        case .problem: .damage
        }
      }
  }

  /// The name in the legend.
  var title: String {
    switch self {
    case .link: "link"
    case .control: "control message"
    case .externalAccessory: "external accessory"
    case .file: "file transfer"
    case .repeated: "retransmitted"
    case .damage: "damage"
    case .call: "call of the app"
    case .event: "event of a stream"
    case .notification: "notification"
    case .request: "request"
    case .answer: "answer"
    case .content: "content"
    }
  }

  /// The color on a light page, with a contrast of at least 4.5 to 1.
  var light: String {
    switch self {
    case .link: "#57606f"
    case .control: "#0b57d0"
    case .externalAccessory: "#00796b"
    case .file: "#96550a"
    case .repeated: "#6f42a8"
    case .damage: "#c0271d"
    case .call, .request: "#0b57d0"
    case .event, .answer: "#00796b"
    case .notification, .content: "#96550a"
    }
  }

  var dark: String {
    switch self {
    case .link: "#a3adba"
    case .control: "#8ab4f8"
    case .externalAccessory: "#5fd6c0"
    case .file: "#eeb35f"
    case .repeated: "#c7a6f5"
    case .damage: "#ff8f84"
    case .call, .request: "#8ab4f8"
    case .event, .answer: "#5fd6c0"
    case .notification, .content: "#eeb35f"
    }
  }

  /// The line style, which is distinct without the color.
  var line: String {
    switch self {
    case .link: "stroke-width:1.2"
    case .control, .call, .request: "stroke-width:1.6"
    case .event, .answer: "stroke-width:1.6;stroke-dasharray:5 3"
    case .content: "stroke-width:4"
    case .notification: "stroke-width:1.6;stroke-dasharray:9 3"
    case .externalAccessory: "stroke-width:4"
    case .file: "stroke-width:1.6;stroke-dasharray:9 3"
    case .repeated: "stroke-width:1.6;stroke-dasharray:2 3"
    case .damage: "stroke-width:1.6;stroke-dasharray:5 3 1 3"
    }
  }

  /// Whether the arrow head is open; only the link's are.
  var hasOpenHead: Bool { self == .link }
}

/// The style sheets, for light and dark pages. That of the SVG has no CSS variables, which many SVG viewers do not
/// support. A viewer without media queries shows it light.
enum DiagramStyle {
  static let font = "font-family:system-ui,'Segoe UI',Roboto,'Helvetica Neue',Arial,sans-serif"
  static let mono = "font-family:ui-monospace,SFMono-Regular,Menlo,Consolas,'DejaVu Sans Mono',monospace"

  static var drawing: String {
    """
    text{\(font);font-size:12px}
    .time,.more,.suffix,.note{\(mono);font-size:11px}
    .note{font-style:italic}
    .name{font-weight:600}
    .pause,.chapter,.left,.tick{font-size:11px}
    .tick{\(mono)}
    .chapter{font-weight:600}
    .head-name{font-weight:700;font-size:13px}
    .head-detail{font-size:12px}
    .title{font-weight:700;font-size:18px}
    path,rect{fill:none;stroke-width:1}
    .externalAccessory .core{stroke-width:1.4}
    .lane.cut{stroke-dasharray:2 4}
    .bar{stroke:none}

    """ + DiagramLayer.allCases.map { ".\($0.rawValue) .line{\($0.line)}\n" }.joined() + colors(isDark: false)
      + "@media (prefers-color-scheme:dark){\n\(colors(isDark: true))}\n"
  }

  static var page: String {
    drawing + """
      :root{color-scheme:light dark}
      body{margin:0;padding:16px 20px 60px;\(font);font-size:14px;line-height:1.45;background:#fff;color:#1b1f24}
      h1{font-size:20px;margin:0 0 4px;overflow-wrap:anywhere}
      h2,p{max-width:min(1240px,calc(100vw - 60px));overflow-wrap:anywhere}
      p{margin:0 0 4px}
      h2{font-size:15px;margin:28px 0 0}
      section{width:max-content}
      svg{display:block}
      .heads{position:sticky;top:0;z-index:2;background:#fff;border-bottom:1px solid #d3d8df}
      .drawing{position:relative}
      ol{list-style:none;margin:0;padding:0}
      li{position:absolute;left:0;right:0;cursor:default;border-radius:4px;scroll-margin:70px}
      li:hover{background:#0b57d014}
      li:focus{outline:2px solid #0b57d0;outline-offset:-1px}
      .card{display:none;position:fixed;right:16px;bottom:16px;z-index:4;width:min(460px,calc(100vw - 64px));
      max-height:min(70vh,720px);overflow:auto;box-sizing:border-box;padding:10px 14px;background:#fff;
      border:1px solid #8a94a3;border-radius:8px;box-shadow:0 4px 18px #0003;cursor:auto;
      pointer-events:none}
      li:focus .card{display:block;pointer-events:auto}
      li:hover .card{display:block;z-index:5}
      .card b{overflow-wrap:anywhere}
      .card pre{margin:6px 0 0;\(mono);font-size:12px;white-space:pre-wrap;overflow-wrap:anywhere}
      .legend{display:flex;flex-wrap:wrap;gap:2px 18px;align-items:center;margin:8px 0}
      .legend label{display:inline-flex;gap:6px;align-items:center;font-size:13px}
      #find{font:inherit;max-width:60vw}
      .same{display:none}
      .filtered .same{display:inline}
      .filtered .pause,.filtered .tick,.filtered .rule,.filtered .bar{display:none}
      .filtered .lane.cut{stroke-dasharray:none}
      @media (prefers-color-scheme:dark){
      body,.heads,.card{background:#15181d;color:#e6e9ee}
      .heads{border-color:#3a414c}
      .card{border-color:#6a7483;box-shadow:0 4px 18px #000a}
      li:hover{background:#8ab4f822}
      li:focus{outline-color:#8ab4f8}
      }

      """ + "@media print{.heads{position:static}.card{display:none!important}}\n"
  }

  private static func colors(isDark: Bool) -> String {
    let (text, dim, faint, page) =
      isDark ? ("#e6e9ee", "#a3adba", "#3a414c", "#15181d") : ("#1b1f24", "#57606f", "#c9cfd8", "#fff")
    var css = """
      text{fill:\(text)}
      .time,.more,.suffix,.note,.chapter,.pause,.left,.tick,.head-detail{fill:\(dim)}
      .lane{stroke:\(dim)}
      .rule{stroke:\(faint)}
      .paper{fill:\(page)}
      .externalAccessory .core{stroke:\(page)}
      .box{stroke:\(dim);fill:\(page)}

      """
    for layer in DiagramLayer.allCases {
      let color = isDark ? layer.dark : layer.light
      css += """
        .\(layer.rawValue) .line,.\(layer.rawValue) .open{stroke:\(color)}
        .\(layer.rawValue) .filled,.\(layer.rawValue) .bar,.\(layer.rawValue) .name{fill:\(color)}

        """
    }
    let bad = isDark ? DiagramLayer.damage.dark : DiagramLayer.damage.light
    return css + ".bad{fill:\(bad)}\n.cross{stroke:\(bad);stroke-width:2.2}\n"
  }
}
