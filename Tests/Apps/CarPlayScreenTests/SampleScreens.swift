// swift-iap2 · Apache-2.0

import CarPlayPlatform

/// A screen of each kind, as the host makes them, with invented contents in several scripts.
enum SampleScreens {
  static let all: [(name: String, screen: ScreenNode)] = [
    ("list", list), ("sections", sections), ("empty", empty), ("spinner", spinner), ("grid", grid), ("tabs", tabs),
    ("map", map), ("trip", trip), ("guidance", guidance), ("map-alert", mapAlert), ("panning", panning),
    ("now-playing", nowPlaying), ("alert", alert), ("sheet", sheet), ("search", search), ("voice", voice),
    ("information", information), ("contact", contact), ("points", points), ("home", home), ("banner", banner),
    ("off", ScreenNode(.off, "no phone")), ("locked", ScreenNode(.locked, "unlock the phone to use CarPlay")),
    ("cyrillic", rows("Плейлисты", "Радио", ["Утренние новости", "Джаз у моря", "Классика"])),
    ("arabic", rows("المفضلة", "رجوع", ["محطة الأخبار", "موسيقى الصباح", "حديث المدينة"])),
    ("hebrew", rows("מועדפים", "חזרה", ["חדשות הבוקר", "מוזיקה שקטה", "שיחות העיר"])),
    ("chinese", rows("收藏", "返回", ["早间新闻", "轻音乐", "城市谈话"])),
    ("japanese", rows("お気に入り", "戻る", ["朝のニュース", "静かな音楽", "街の話"])),
  ]

  private static func rows(_ title: String, _ back: String, _ rows: [String]) -> ScreenNode {
    ScreenNode(
      .list, title,
      children: [ScreenNode(.back, back)]
        + rows.map { ScreenNode(.row, $0, detail: $0, marks: ["[radio]", ">"]) })
  }

  static let list = ScreenNode(
    .list, "Albums",
    children: [ScreenNode(.back, "Library"), ScreenNode(.button, "magnifyingglass")]
      + (1...8).map { index in
        ScreenNode(
          .row, "Album number \(index)", detail: "An artist of the coast", hasSpinner: index == 4,
          marks: ["[cover\(index)]"] + (index == 1 ? ["playing"] : []) + (index == 2 ? ["explicit"] : [])
            + (index == 3 ? ["42%"] : [">"]))
      })

  static let sections = ScreenNode(
    .list, "Stations", isCut: true,
    children: [
      ScreenNode(
        .section, "Nearby", marks: ["index N"], children: [ScreenNode(.row, "Harbour"), ScreenNode(.row, "Pier")]),
      ScreenNode(.section, "Far away", children: [ScreenNode(.row, "Island", isEnabled: false)]),
      ScreenNode(
        .row, "Mixes", children: ["Morning", "Noon", "Night"].map { ScreenNode(.picture, $0) }),
      ScreenNode(.siri, "Ask Siri to play"),
    ])

  static let empty = ScreenNode(
    .list, "Recent", children: [ScreenNode(.empty, "Nothing was played yet", detail: "Choose a station")])
  static let spinner = ScreenNode(.list, "Recent", children: [ScreenNode(.spinner, hasSpinner: true)])

  static let grid = ScreenNode(
    .grid, "Places",
    children: [ScreenNode(.back, "Map")]
      + ["Food", "Fuel", "Park", "Home", "Shop", "Bank", "Hotel", "More"].map {
        ScreenNode(.button, $0, marks: ["[\($0.lowercased())]"])
      })

  static let tabs = ScreenNode(
    .tabs,
    children: [
      ScreenNode(.list, children: [ScreenNode(.row, "News", marks: [">"]), ScreenNode(.row, "Jazz", marks: [">"])]),
      ScreenNode(.tab, "Stations", isSelected: true), ScreenNode(.tab, "Recent", marks: ["badge"]),
      ScreenNode(.tab, "Search"),
    ])

  private static let mapParts = [
    ScreenNode(.button, "Search"), ScreenNode(.button, "star"),
  ]
  private static let mapButtons = ["dpad.fill", "minus.magnifyingglass", "plus.magnifyingglass", "location"].map {
    ScreenNode(.mapButton, $0)
  }

  static let map = ScreenNode(.map, marks: ["light"], children: mapParts + mapButtons)
  static let trip = ScreenNode(
    .map,
    children: mapParts + [
      ScreenNode(
        .trip, "Harbour",
        children: [
          ScreenNode(.route, "By the coast", detail: "no toll"),
          ScreenNode(.estimates, "25 min", detail: "18 km"), ScreenNode(.action, "Start"),
          ScreenNode(.action, "More Routes"),
        ])
    ] + mapButtons)
  static let guidance = ScreenNode(
    .map,
    children: mapParts + [
      ScreenNode(
        .guidance,
        children: [
          ScreenNode(.maneuver, "Turn left into Main Street", detail: "300 m", marks: ["[turn.left]"]),
          ScreenNode(.maneuver, "Then straight on", detail: "1 km", marks: ["[straight]"]),
        ]),
      ScreenNode(.estimates, "25 min", detail: "18 km"),
    ] + mapButtons)
  static let mapAlert = ScreenNode(
    .map,
    children: mapParts + [
      ScreenNode(
        .alert, "Faster route", detail: "Saves four minutes", marks: ["on the map"],
        children: [ScreenNode(.action, "Take it"), ScreenNode(.action, "Ignore")])
    ] + mapButtons)
  static let panning = ScreenNode(
    .map,
    children: mapParts + mapButtons.prefix(2) + ["left", "right", "up", "down"].map { ScreenNode(.pan, $0) })

  static let nowPlaying = ScreenNode(
    .nowPlaying,
    children: [
      ScreenNode(.back, "Albums"), ScreenNode(.artwork, "cover"),
      ScreenNode(.title, "Night Quay", detail: "Blue Pier - Evening"),
      ScreenNode(.progress, "0:42", detail: "-3:10"), ScreenNode(.command, "previous"), ScreenNode(.command, "pause"),
      ScreenNode(.command, "next"), ScreenNode(.button, "Up next"), ScreenNode(.option, "shuffle"),
      ScreenNode(.option, "star", isSelected: true),
    ])

  static let alert = ScreenNode(
    .alert, "The route is blocked by the ferry, which does not sail today",
    children: [ScreenNode(.action, "Go round", isFocused: true), ScreenNode(.action, "Stop", marks: ["destructive"])])
  static let sheet = ScreenNode(
    .sheet, "End the guidance?", detail: "The way back is not saved.",
    children: [
      ScreenNode(.action, "End", marks: ["destructive"]), ScreenNode(.action, "Save and end"),
      ScreenNode(.action, "Go on", marks: ["cancel"]),
    ])
  static let search = ScreenNode(
    .search,
    children: [
      ScreenNode(.back, "Map"), ScreenNode(.field, "cafe"), ScreenNode(.result, "Cafe by the pier", detail: "400 m"),
      ScreenNode(.keyboard),
    ])
  static let voice = ScreenNode(.voice, "Listening", detail: "listening", marks: ["[waveform]"])
  static let information = ScreenNode(
    .information, "Charger",
    children: [
      ScreenNode(.back, "Places"), ScreenNode(.item, "Price", detail: "0.50 a kilowatt hour"),
      ScreenNode(.item, "Free", detail: "2 of 4"), ScreenNode(.action, "Reserve", marks: ["confirm"]),
      ScreenNode(.action, "Cancel", marks: ["cancel"]),
    ])
  static let contact = ScreenNode(
    .contact,
    children: [
      ScreenNode(.title, "Harbour Office", detail: "Open until six"), ScreenNode(.text, "Ring twice"),
      ScreenNode(.action, "Call"), ScreenNode(.action, "Directions"), ScreenNode(.action, "Message"),
    ])
  static let points = ScreenNode(
    .pointsOfInterest, "Fuel",
    children: [
      ScreenNode(.back, "Map"),
      ScreenNode(.point, "North pump", detail: "1 km", isSelected: true, children: [ScreenNode(.action, "Go")]),
      ScreenNode(.point, "South pump", detail: "3 km"), ScreenNode(.point, "East pump", detail: "4 km"),
    ])
  static let home = ScreenNode(.home, children: [ScreenNode(.icon, "Harbour Maps")])
  static let banner = ScreenNode(
    .home, "another app", children: [ScreenNode(.banner, "Turn left into Main Street")])
}
