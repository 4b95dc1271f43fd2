import Dialects
import Parsing
import Testing

@Suite struct OwnTracksTopicTests {
    @Test func `a topic has a user, a device and an optional part`() throws {
        let topic = try #require(OwnTracks.Topic("owntracks/Anna/Pixel8/event", below: "owntracks"))
        #expect(topic == OwnTracks.Topic(user: "Anna", device: "Pixel8", part: "event"))
        #expect(topic.name == "anna/pixel8")
        #expect(topic.commands.text(below: "owntracks") == "owntracks/Anna/Pixel8/cmd")
        let deep = try #require(OwnTracks.Topic("/a/b/anna/phone", below: "/a/b"))
        #expect(deep.user == "anna" && deep.part == "")
        #expect(deep.text(below: "/a/b") == "/a/b/anna/phone")
    }

    @Test(arguments: [
        "owntracks", "owntracks/", "owntracks/anna", "owntracks/anna/", "owntracks//phone",
        "owntracks/anna/phone/", "owntracks/anna/phone/event/more", "other/anna/phone",
        "owntracksx/anna/phone", "owntracks/an na/phone",
    ])
    func `any other text is rejected`(text: String) {
        #expect(OwnTracks.Topic(text, below: "owntracks") == nil)
    }

    @Test func `topics that Jaga publishes are recognised`() {
        let topic = OwnTracks.Topic(user: "anna", device: "phone")
        #expect(!topic.isOwn && topic.friend("BO").isOwn)
        #expect(topic.friend("BO", part: "info").text(below: "o") == "o/anna/jaga-BO/info")
    }

    @Test func `subscriptions include every part except cmd`() {
        let topics = OwnTracks.Topic.subscriptions(below: "o")
        #expect(topics.contains("o/+/+") && topics.contains("o/+/+/event"))
        #expect(!topics.contains { $0.hasSuffix("/cmd") || $0.contains("#") })
    }

    @Test(arguments: [
        ("owntracks", true), ("/owntracks", true), ("a/b", true), ("", false), ("a/", false),
        ("a//b", false), ("a/+", false), ("#", false), ("/", false), ("a b", false),
    ])
    func `a prefix is one or more levels`(text: String, isPrefix: Bool) {
        #expect(OwnTracks.Topic.isPrefix(text) == isPrefix)
    }

    @Test func `an answer becomes messages with topics, without the phone's own position`() {
        let own = OwnTracks.Friend(trackerID: "AN", name: "Anna", fix: nil, battery: nil)
        let friend = OwnTracks.Friend(trackerID: "BO", name: "Bob", fix: nil, battery: nil)
        let content = OwnTracks.AnswerContent(friends: [own, friend], requestsLocation: true)
        let topic = OwnTracks.Topic(user: "anna", device: "phone")
        let messages = OwnTracks.messages(content, to: topic)
        #expect(
            messages.map { $0.topic.text(below: "o") }
                == ["o/anna/jaga-BO/info", "o/anna/phone/cmd"])
        #expect((try? JSON.parse(messages[0].payload))?["name"] == "Bob")
    }
}
