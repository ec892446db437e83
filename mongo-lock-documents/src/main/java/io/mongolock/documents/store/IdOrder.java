package io.mongolock.documents.store;

import java.math.BigDecimal;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.Comparator;
import java.util.Iterator;
import java.util.List;
import java.util.Map;

import org.bson.BsonBinary;
import org.bson.BsonDocument;
import org.bson.BsonNumber;
import org.bson.BsonType;
import org.bson.BsonValue;

/**
 * The order in which MongoDB sorts ids: by their types, and texts by their bytes.
 */
final class IdOrder implements Comparator<BsonValue> {

	private static final List<BsonType> KINDS = List.of(BsonType.MIN_KEY, BsonType.UNDEFINED, BsonType.NULL,
			BsonType.DOUBLE, BsonType.STRING, BsonType.DOCUMENT, BsonType.ARRAY, BsonType.BINARY, BsonType.OBJECT_ID,
			BsonType.BOOLEAN, BsonType.DATE_TIME, BsonType.TIMESTAMP, BsonType.REGULAR_EXPRESSION, BsonType.MAX_KEY);

	@Override
	public int compare(BsonValue one, BsonValue other) {
		int kinds = Integer.compare(kind(one), kind(other));
		if (kinds != 0) {
			return kinds;
		}
		return switch (one.getBsonType()) {
			case INT32, INT64, DOUBLE, DECIMAL128 -> numbers(one.asNumber(), other.asNumber());
			case STRING -> texts(one.asString().getValue(), other.asString().getValue());
			case DOCUMENT -> documents(one.asDocument(), other.asDocument());
			case BINARY -> binaries(one.asBinary(), other.asBinary());
			case OBJECT_ID -> one.asObjectId().compareTo(other.asObjectId());
			case BOOLEAN -> one.asBoolean().compareTo(other.asBoolean());
			case DATE_TIME -> one.asDateTime().compareTo(other.asDateTime());
			case TIMESTAMP -> one.asTimestamp().compareTo(other.asTimestamp());
			default -> 0;
		};
	}

	private static int kind(BsonValue value) {
		return KINDS.indexOf((value.isNumber()) ? BsonType.DOUBLE : value.getBsonType());
	}

	// NaN comes first
	private static int numbers(BsonNumber one, BsonNumber other) {
		double first = one.doubleValue();
		double second = other.doubleValue();
		if (first == second && first != 0 && Double.isFinite(first)) {
			return exact(one).compareTo(exact(other));
		}
		if (first == second || (Double.isNaN(first) && Double.isNaN(second))) {
			return 0;
		}
		return (first < second || Double.isNaN(first)) ? -1 : 1;
	}

	private static BigDecimal exact(BsonNumber number) {
		return switch (number.getBsonType()) {
			case DOUBLE -> new BigDecimal(number.doubleValue());
			case DECIMAL128 -> number.decimal128Value().bigDecimalValue();
			default -> BigDecimal.valueOf(number.longValue());
		};
	}

	private static int texts(String one, String other) {
		return Arrays.compareUnsigned(one.getBytes(StandardCharsets.UTF_8), other.getBytes(StandardCharsets.UTF_8));
	}

	private static int binaries(BsonBinary one, BsonBinary other) {
		int lengths = Integer.compare(one.getData().length, other.getData().length);
		int types = Integer.compare(one.getType() & 0xff, other.getType() & 0xff);
		return (lengths != 0) ? lengths : (types != 0) ? types : Arrays.compareUnsigned(one.getData(), other.getData());
	}

	private int documents(BsonDocument one, BsonDocument other) {
		Iterator<Map.Entry<String, BsonValue>> second = other.entrySet().iterator();
		for (Map.Entry<String, BsonValue> field : one.entrySet()) {
			if (!second.hasNext()) {
				return 1;
			}
			Map.Entry<String, BsonValue> counterpart = second.next();
			int order = Integer.compare(kind(field.getValue()), kind(counterpart.getValue()));
			order = (order != 0) ? order : texts(field.getKey(), counterpart.getKey());
			order = (order != 0) ? order : compare(field.getValue(), counterpart.getValue());
			if (order != 0) {
				return order;
			}
		}
		return (second.hasNext()) ? -1 : 0;
	}

}
