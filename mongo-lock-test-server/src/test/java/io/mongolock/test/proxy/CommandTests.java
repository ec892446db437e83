package io.mongolock.test.proxy;

import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.util.Arrays;

import org.bson.BsonDocument;
import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

/**
 * Tests for {@link Command} and {@link Message}.
 */
class CommandTests {

	private static final BsonDocument BODY = BsonDocument.parse("{update: 'locks', $db: 'test'}");

	@Test
	void theFirstElementNamesTheCommandAndItsCollection() {
		Command command = Command.of(new Message(Wire.msg(1, 0, 0, BODY)));
		assertThat(command.name()).isEqualTo("update");
		assertThat(command.collection()).isEqualTo("locks");
		assertThat(command.document()).isEqualTo(BODY);
	}

	@Test
	void aCommandAboutNoCollectionHasNone() {
		Command command = Command.of(new Message(Wire.msg(1, 0, 0, BsonDocument.parse("{ping: 1}"))));
		assertThat(command.name()).isEqualTo("ping");
		assertThat(command.collection()).isEmpty();
	}

	@Test
	void documentsInASectionOfTheirOwnAreFoundWhereTheyBelong() {
		Command command = Command
			.of(new Message(Wire.msg(1, BODY, "updates", BsonDocument.parse("{q: 1}"), BsonDocument.parse("{q: 2}"))));
		assertThat(command.name()).isEqualTo("update");
		assertThat(command.document())
			.isEqualTo(BsonDocument.parse("{update: 'locks', $db: 'test', updates: [{q: 1}, {q: 2}]}"));
	}

	@Test
	void theOldFormOfHelloIsACommandToo() {
		Command command = Command
			.of(new Message(Wire.query(1, "admin.$cmd", BsonDocument.parse("{isMaster: 1, helloOk: true}"))));
		assertThat(command.name()).isEqualTo("isMaster");
		assertThat(command.document()).containsKey("helloOk");
	}

	@Test
	void aMessageOfAnotherKindCarriesNoCommand() {
		byte[] bytes = Wire.msg(1, 0, 0, BODY);
		bytes[12] = (byte) 2012;
		bytes[13] = (byte) (2012 >> 8);
		Command command = Command.of(new Message(bytes));
		assertThat(command.name()).isEmpty();
		assertThat(command.collection()).isEmpty();
		assertThat(command.document()).isEmpty();
	}

	@Test
	void aRequestIsAnsweredInItsOwnForm() throws IOException {
		BsonDocument answer = BsonDocument.parse("{ok: 1}");
		Message msg = new Message(Wire.msg(7, 0, 0, BODY));
		Message reply = Message.read(new ByteArrayInputStream(msg.reply(answer)));
		assertThat(msg.command()).isEqualTo(BODY);
		assertThat(reply.responseTo()).isEqualTo(7);
		assertThat(reply.opCode()).isEqualTo(Message.OP_MSG);
		assertThat(reply.command()).isEqualTo(answer);
		Message query = new Message(Wire.query(8, "admin.$cmd", BsonDocument.parse("{isMaster: 1}")));
		Message old = Message.read(new ByteArrayInputStream(query.reply(answer)));
		assertThat(old.responseTo()).isEqualTo(8);
		assertThat(old.opCode()).as("OP_REPLY").isEqualTo(1);
		assertThat(old.int32(32)).as("documents").isEqualTo(1);
	}

	@Test
	void messagesAreReadOneByOneUntilTheStreamEnds() throws IOException {
		byte[] bytes = Wire.msg(7, 3, 0, BODY);
		byte[] twiceAndABit = Arrays.copyOf(bytes, bytes.length * 2 + 5);
		System.arraycopy(bytes, 0, twiceAndABit, bytes.length, bytes.length);
		System.arraycopy(bytes, 0, twiceAndABit, bytes.length * 2, 5);
		ByteArrayInputStream in = new ByteArrayInputStream(twiceAndABit);
		assertThat(Message.read(in).bytes()).isEqualTo(bytes);
		assertThat(Message.read(in).responseTo()).isEqualTo(3);
		assertThat(Message.read(in)).isNull();
	}

	@Test
	void bytesThatAreNotTheWireProtocolAreRefusedWithTheirLength() {
		ByteArrayInputStream in = new ByteArrayInputStream("GET / HTTP/1.1".getBytes());
		assertThatExceptionOfType(IOException.class).isThrownBy(() -> Message.read(in))
			.withMessageContaining(String.valueOf(0x20544547))
			.withMessageContaining("16 to 48000000");
	}

}
