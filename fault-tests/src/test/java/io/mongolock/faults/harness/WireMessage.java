package io.mongolock.faults.harness;

import java.io.DataInputStream;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;

import org.bson.BsonArray;
import org.bson.BsonBinaryWriter;
import org.bson.BsonDocument;
import org.bson.RawBsonDocument;
import org.bson.codecs.BsonDocumentCodec;
import org.bson.codecs.EncoderContext;
import org.bson.io.BasicOutputBuffer;

/**
 * A request as a client sends it.
 *
 * @param requestId its number
 * @param opCode how it is written
 * @param document the command, with what travels in sections of its own put in its place
 */
record WireMessage(int requestId, int opCode, BsonDocument document) {

	private static final int OP_REPLY = 1;

	private static final int OP_MSG = 2013;

	private static final int HEADER_BYTES = 16;

	static WireMessage read(DataInputStream in) throws IOException {
		int length = Integer.reverseBytes(in.readInt());
		ByteBuffer message = ByteBuffer.allocate(length - 4).order(ByteOrder.LITTLE_ENDIAN);
		in.readFully(message.array());
		int requestId = message.getInt();
		message.getInt();
		int opCode = message.getInt();
		message.getInt();
		return new WireMessage(requestId, opCode, (opCode != OP_MSG) ? query(message) : sections(message));
	}

	byte[] reply(BsonDocument answer) {
		byte[] body = bytes(answer);
		boolean legacy = this.opCode != OP_MSG;
		int length = HEADER_BYTES + ((legacy) ? 20 : 5) + body.length;
		ByteBuffer reply = ByteBuffer.allocate(length).order(ByteOrder.LITTLE_ENDIAN);
		reply.putInt(length).putInt(0).putInt(this.requestId).putInt((legacy) ? OP_REPLY : OP_MSG).putInt(0);
		if (legacy) {
			reply.putLong(0).putInt(0).putInt(1);
		}
		else {
			reply.put((byte) 0);
		}
		return reply.put(body).array();
	}

	private static BsonDocument query(ByteBuffer message) {
		cString(message);
		message.getLong();
		return document(message);
	}

	private static BsonDocument sections(ByteBuffer message) {
		BsonDocument command = new BsonDocument();
		BsonDocument sequences = new BsonDocument();
		while (message.remaining() > 4) {
			if (message.get() == 0) {
				command = document(message);
				continue;
			}
			int end = message.position() + message.getInt();
			BsonArray documents = new BsonArray();
			sequences.put(cString(message), documents);
			while (message.position() < end) {
				documents.add(document(message));
			}
		}
		command.putAll(sequences);
		return command;
	}

	private static BsonDocument document(ByteBuffer message) {
		int length = message.getInt(message.position());
		byte[] bytes = new byte[length];
		message.get(bytes);
		return new RawBsonDocument(bytes).decode(new BsonDocumentCodec());
	}

	private static String cString(ByteBuffer message) {
		StringBuilder text = new StringBuilder();
		for (byte one = message.get(); one != 0; one = message.get()) {
			text.append((char) one);
		}
		return text.toString();
	}

	private static byte[] bytes(BsonDocument document) {
		BasicOutputBuffer out = new BasicOutputBuffer();
		new BsonDocumentCodec().encode(new BsonBinaryWriter(out), document, EncoderContext.builder().build());
		return out.toByteArray();
	}

}
