package io.mongolock.test.proxy;

import java.nio.ByteBuffer;
import java.nio.ByteOrder;

import org.bson.BsonBinaryWriter;
import org.bson.BsonDocument;
import org.bson.RawBsonDocument;
import org.bson.codecs.BsonDocumentCodec;
import org.bson.codecs.EncoderContext;
import org.bson.io.BasicOutputBuffer;

/**
 * Makes messages.
 */
final class Wire {

	static final int MORE_TO_COME = 2;

	private Wire() {
	}

	static byte[] msg(int requestId, int responseTo, int flags, BsonDocument body) {
		byte[] document = bytes(body);
		return header(16 + 4 + 1 + document.length, requestId, responseTo, Message.OP_MSG).putInt(flags)
			.put((byte) 0)
			.put(document)
			.array();
	}

	/** A message whose documents travel in a section of their own, before the body. */
	static byte[] msg(int requestId, BsonDocument body, String sequence, BsonDocument... documents) {
		BasicOutputBuffer section = new BasicOutputBuffer();
		section.writeCString(sequence);
		for (BsonDocument document : documents) {
			section.writeBytes(bytes(document));
		}
		byte[] main = bytes(body);
		return header(16 + 4 + 1 + 4 + section.size() + 1 + main.length, requestId, 0, Message.OP_MSG).putInt(0)
			.put((byte) 1)
			.putInt(4 + section.size())
			.put(section.toByteArray())
			.put((byte) 0)
			.put(main)
			.array();
	}

	static byte[] query(int requestId, String collection, BsonDocument query) {
		BasicOutputBuffer name = new BasicOutputBuffer();
		name.writeCString(collection);
		byte[] document = bytes(query);
		return header(16 + 4 + name.size() + 8 + document.length, requestId, 0, Message.OP_QUERY).putInt(0)
			.put(name.toByteArray())
			.putInt(0)
			.putInt(-1)
			.put(document)
			.array();
	}

	static BsonDocument body(Message message) {
		return new RawBsonDocument(message.bytes(), 21, message.int32(21));
	}

	private static ByteBuffer header(int length, int requestId, int responseTo, int opCode) {
		return ByteBuffer.allocate(length)
			.order(ByteOrder.LITTLE_ENDIAN)
			.putInt(length)
			.putInt(requestId)
			.putInt(responseTo)
			.putInt(opCode);
	}

	private static byte[] bytes(BsonDocument document) {
		BasicOutputBuffer out = new BasicOutputBuffer();
		new BsonDocumentCodec().encode(new BsonBinaryWriter(out), document, EncoderContext.builder().build());
		return out.toByteArray();
	}

}
