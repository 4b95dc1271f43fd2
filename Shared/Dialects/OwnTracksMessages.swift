import Parsing

extension OwnTracks {
    /// The answer as single messages with topics, because MQTT answers are not arrays.
    ///
    /// Friends have topics of the same user, with device names assigned by Jaga. The phone's own
    /// position and card are omitted, because the phone would process them as incoming messages.
    ///
    /// - Parameter topic: topic of the phone
    public static func messages(
        _ content: AnswerContent, to topic: Topic
    ) -> [(topic: Topic, payload: [UInt8])] {
        let own = content.friends.first?.trackerID
        let elements = (try? JSON.parse(answer(content)))?.array ?? []
        return elements.compactMap { element in
            let trackerID = element["tid"]?.string ?? ""
            let destination: Topic
            switch element["_type"]?.string {
            case "cmd": destination = topic.commands
            case "transition": destination = topic.friend("alarm", part: "event")
            case "card" where trackerID != own: destination = topic.friend(trackerID, part: "info")
            case "location" where trackerID != own: destination = topic.friend(trackerID)
            default: return nil
            }
            // The `topic` of the HTTP format would name another friend here.
            let members = (element.object ?? []).filter { $0.key != "topic" }
            return (destination, JSON.object(members).serialized())
        }
    }
}
