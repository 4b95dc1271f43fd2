import Hashing
import Model
import Parsing

// What the apps tell beside fixes.
extension OwnTracks {
    /// Fences that the person drew on the phone.
    ///
    /// Only circles that stay where they are can be zones: a negative radius follows the phone,
    /// and without one it is a mark on the map or a beacon.
    ///
    /// - Parameter isOne: the whole message is this one.
    static func waypoints(_ list: [JSON], isOne: Bool) -> Reading {
        var reading = Reading()
        for (index, json) in list.enumerated() {
            guard case .object = json else {
                reading.rejections.append(
                    Rejection(index: index, reason: .notAnObject, payload: json.serialized()))
                continue
            }
            let radius = json["rad"]?.numberOrNumericString ?? 0
            guard radius > 0 else { continue }
            let position = Quantity.position(latitude: json["lat"], longitude: json["lon"])
                .usable(from: .tracker, accuracy: nil)
            switch position {
            case .failure(let unusable):
                reading.rejections.append(
                    Rejection(
                        index: index, reason: unusable.reason,
                        payload: isOne ? nil : json.serialized()))
            case .success(let center):
                guard let radius = Quantity.radius(radius) else { continue }
                reading.news.zones.append(
                    OfferedZone(
                        key: key(of: json), name: name(of: json), center: center,
                        radiusMetres: radius))
            }
        }
        return reading
    }

    /// iOS knows a waypoint by `rid`, Android by the time of its making.
    private static func key(of json: JSON) -> String {
        if let id = Quantity.messageID(json["rid"]?.string) { return id }
        return json["tst"]?.numberOrNumericString.map { "\($0)" } ?? name(of: json)
    }

    private static func name(of json: JSON) -> String {
        let name = json["desc"]?.string ?? ""
        return name.allSatisfy(\.isWhitespace)
            ? "Waypoint" : String(name.prefix(Card.nameCharactersMax))
    }

    /// What keeps the phone from reporting.
    ///
    /// Android tells it in numbers, older versions of it without an object of their own around
    /// them; iOS by the names of its own constants. Another one's status says nothing.
    static func status(_ json: JSON) -> Reading {
        if let phone = json["iOS"], case .object = phone {
            return Reading(news: PhoneNews(hindrances: hindrances(ofIOS: phone)))
        }
        let phone = json["android"] ?? json
        guard case .object = phone,
            ["loc", "bo", "hib", "ps"].contains(where: { phone[$0] != nil })
        else { return .nothing }
        return Reading(news: PhoneNews(hindrances: hindrances(ofAndroid: phone)))
    }

    /// `loc`: 0 always and exactly, −1 always and roughly, below while it is open, or never.
    private static func hindrances(ofAndroid phone: JSON) -> [Hindrance] {
        func number(_ key: String) -> Double { phone[key]?.numberOrNumericString ?? 0 }
        var found: [Hindrance] = []
        switch number("loc") {
        case 0: break
        case -1: found.append(.approximateLocation)
        default: found.append(.locationPermission)
        }
        if number("bo") != 0 { found.append(.batteryOptimisation) }
        if number("hib") != 0 { found.append(.hibernation) }
        if number("ps") != 0 { found.append(.powerSave) }
        return found.sorted()
    }

    private static func hindrances(ofIOS phone: JSON) -> [Hindrance] {
        var found: [Hindrance] = []
        if let location = phone["locationManagerAuthorizationStatus"]?.string,
            !location.hasSuffix("AuthorizedAlways")
        {
            found.append(.locationPermission)
        }
        if let refresh = phone["backgroundRefreshStatus"]?.string,
            !refresh.hasSuffix("StatusAvailable")
        {
            found.append(.backgroundRefresh)
        }
        return found.sorted()
    }

    /// How the person wants to be shown; a face that is no picture is put aside and takes no other
    /// away, the name counts.
    static func card(_ json: JSON) -> Reading {
        var card = Card(
            name: json["name"]?.string.map { String($0.prefix(Card.nameCharactersMax)) })
        var reading = Reading()
        if let text = json["face"]?.string, !text.isEmpty {
            if let face = decoded(text), Card.isFace(face) {
                card.face = face
            } else {
                card.keepsFace = true
                reading.rejections.append(Rejection(index: 0, reason: .badPicture))
            }
        }
        if card.name?.allSatisfy(\.isWhitespace) == true { card.name = nil }
        reading.news.card = card
        return reading
    }
}
