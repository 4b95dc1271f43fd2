import Parsing

extension OwnTracks {
    /// An answer as messages of their own, each with its topic: over MQTT an answer is no array.
    ///
    /// Friends stand under names that the suite made up for this phone's user. The phone's own
    /// position and card are left out: it has them, and would hear itself.
    ///
    /// - Parameter topic: of the phone
    public static func messages(
        _ telling: Telling, to topic: Topic
    ) -> [(topic: Topic, payload: [UInt8])] {
        let own = telling.friends.first?.trackerID
        let elements = (try? JSON.parse(answer(telling)))?.array ?? []
        return elements.compactMap { element in
            let trackerID = element["tid"]?.string ?? ""
            let place: Topic
            switch element["_type"]?.string {
            case "cmd": place = topic.commands
            case "transition": place = topic.friend("alarm", part: "event")
            case "card" where trackerID != own: place = topic.friend(trackerID, part: "info")
            case "location" where trackerID != own: place = topic.friend(trackerID)
            default: return nil
            }
            // What says where a friend is over HTTP would be another friend here.
            let members = (element.object ?? []).filter { $0.key != "topic" }
            return (place, JSON.object(members).serialized())
        }
    }
}
