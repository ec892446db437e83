package io.mongolock.test.proxy;

import java.nio.charset.StandardCharsets;

import org.bson.BsonArray;
import org.bson.BsonDocument;
import org.bson.RawBsonDocument;
import org.bson.codecs.BsonDocumentCodec;

/**
 * The command that a request carries. Only the first element is read, unless
 * {@link #document()} is called. Immutable.
 */
final class Command {

	private static final byte TYPE_STRING = 2;

	private static final int NONE = -1;

	private final Message message;

	private final int body;

	private Command(Message message, int body) {
		this.message = message;
		this.body = body;
	}

	static Command of(Message message) {
		return new Command(message, switch (message.opCode()) {
			case Message.OP_MSG -> bodyOfMsg(message);
			case Message.OP_QUERY -> message.endOfString(Message.HEADER_BYTES + 4) + 1 + 8;
			default -> NONE;
		});
	}

	/**
	 * The name of the command.
	 * @return the name of the first element, empty if the message carries no command
	 */
	String name() {
		return (this.body != NONE) ? string(nameOffset()) : "";
	}

	/**
	 * The collection that the command is about.
	 * @return the value of the first element, empty if it is not a string
	 */
	String collection() {
		if (this.body == NONE || this.message.bytes()[this.body + 4] != TYPE_STRING) {
			return "";
		}
		return string(this.message.endOfString(nameOffset()) + 1 + 4);
	}

	/**
	 * The whole command. The contents of separate sections are put into their places.
	 * @return the document, empty if the message carries no command
	 */
	BsonDocument document() {
		if (this.body == NONE) {
			return new BsonDocument();
		}
		BsonDocument document = decode(this.body);
		if (this.message.opCode() == Message.OP_MSG) {
			addSequences(document);
		}
		return document;
	}

	private void addSequences(BsonDocument document) {
		for (int section = firstSection(); section < end(this.message); section = next(this.message, section)) {
			if (isBody(this.message, section)) {
				continue;
			}
			int name = section + 1 + 4;
			BsonArray values = new BsonArray();
			int offset = this.message.endOfString(name) + 1;
			while (offset < next(this.message, section)) {
				values.add(decode(offset));
				offset += this.message.int32(offset);
			}
			document.put(string(name), values);
		}
	}

	private BsonDocument decode(int offset) {
		return new RawBsonDocument(this.message.bytes(), offset, this.message.int32(offset))
			.decode(new BsonDocumentCodec());
	}

	private int nameOffset() {
		return this.body + 4 + 1;
	}

	private String string(int offset) {
		int length = this.message.endOfString(offset) - offset;
		return new String(this.message.bytes(), offset, length, StandardCharsets.UTF_8);
	}

	private static int bodyOfMsg(Message message) {
		for (int section = firstSection(); section < end(message); section = next(message, section)) {
			if (isBody(message, section)) {
				return section + 1;
			}
		}
		return NONE;
	}

	private static int firstSection() {
		return Message.HEADER_BYTES + 4;
	}

	private static int end(Message message) {
		// a checksum of four bytes may follow the last section
		boolean checksum = (message.int32(Message.HEADER_BYTES) & 1) != 0;
		return message.bytes().length - ((checksum) ? 4 : 0);
	}

	private static boolean isBody(Message message, int section) {
		return message.bytes()[section] == 0;
	}

	private static int next(Message message, int section) {
		// Both kinds of section begin with their kind, followed by their length
		return section + 1 + message.int32(section + 1);
	}

}
