package io.mongolock.test.embedded;

import java.math.BigDecimal;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.time.Instant;
import java.util.Arrays;
import java.util.Comparator;
import java.util.Iterator;
import java.util.List;
import java.util.Map;
import java.util.UUID;

import de.bwaldvogel.mongo.backend.Missing;
import de.bwaldvogel.mongo.bson.BinData;
import de.bwaldvogel.mongo.bson.BsonTimestamp;
import de.bwaldvogel.mongo.bson.Decimal128;
import de.bwaldvogel.mongo.bson.Document;
import de.bwaldvogel.mongo.bson.LegacyUUID;
import de.bwaldvogel.mongo.bson.ObjectId;
import org.jspecify.annotations.Nullable;

/**
 * Compares values: by MongoDB's order of all types, by equality, and by truth. A missing
 * field is {@link Missing}, which is not {@code null}.
 */
final class Values {

	static final Object MISSING = Missing.getInstance();

	/**
	 * The order of aggregation expressions: by type first, then by value.
	 */
	static final Comparator<@Nullable Object> ORDER = Values::compare;

	private Values() {
	}

	static boolean isNullish(@Nullable Object value) {
		return value == null || value == MISSING;
	}

	static boolean isTrue(@Nullable Object value) {
		if (value instanceof Boolean bool) {
			return bool;
		}
		if (value instanceof Number number) {
			return number.doubleValue() != 0;
		}
		return !isNullish(value);
	}

	static boolean isIntegral(@Nullable Object value) {
		return value instanceof Integer || value instanceof Long;
	}

	static boolean areEqual(@Nullable Object left, @Nullable Object right) {
		return compare(left, right) == 0;
	}

	static int compare(@Nullable Object left, @Nullable Object right) {
		ValueType type = ValueType.of(left);
		int byType = Integer.compare(type.order(), ValueType.of(right).order());
		if (byType != 0 || left == null || right == null) {
			return byType;
		}
		return switch (type) {
			case INT, LONG, DOUBLE, DECIMAL -> compareNumbers((Number) left, (Number) right);
			case STRING -> compareStrings((String) left, (String) right);
			case OBJECT -> compareDocuments((Document) left, (Document) right);
			case ARRAY -> compareArrays((List<?>) left, (List<?>) right);
			case DATE -> ((Instant) left).compareTo((Instant) right);
			case BOOL -> ((Boolean) left).compareTo((Boolean) right);
			case OBJECT_ID -> ((ObjectId) left).compareTo((ObjectId) right);
			case TIMESTAMP -> ((BsonTimestamp) left).compareTo((BsonTimestamp) right);
			case BINARY -> compareBytes(bytes(left), bytes(right));
			case REGEX, JAVASCRIPT -> left.toString().compareTo(right.toString());
			case MISSING, NULL, MIN_KEY, MAX_KEY -> 0;
		};
	}

	private static int compareNumbers(Number left, Number right) {
		if (isIntegral(left) && isIntegral(right)) {
			return Long.compare(left.longValue(), right.longValue());
		}
		double leftDouble = left.doubleValue();
		double rightDouble = right.doubleValue();
		if (Double.isNaN(leftDouble) || Double.isNaN(rightDouble)) {
			// NaN is less than every other number
			return Boolean.compare(!Double.isNaN(leftDouble), !Double.isNaN(rightDouble));
		}
		if (Double.isInfinite(leftDouble) || Double.isInfinite(rightDouble)) {
			return Double.compare(leftDouble, rightDouble);
		}
		return exact(left).compareTo(exact(right));
	}

	private static BigDecimal exact(Number number) {
		if (number instanceof Decimal128 decimal) {
			return decimal.toBigDecimal();
		}
		return isIntegral(number) ? BigDecimal.valueOf(number.longValue()) : new BigDecimal(number.doubleValue());
	}

	private static int compareStrings(String left, String right) {
		// By UTF-8 bytes; String.compareTo puts emoji before some rarer characters
		return left.equals(right) ? 0
				: Arrays.compareUnsigned(left.getBytes(StandardCharsets.UTF_8), right.getBytes(StandardCharsets.UTF_8));
	}

	private static int compareDocuments(Document left, Document right) {
		Iterator<Map.Entry<String, Object>> rightFields = right.entrySet().iterator();
		for (Map.Entry<String, Object> leftField : left.entrySet()) {
			if (!rightFields.hasNext()) {
				return 1;
			}
			int result = compareFields(leftField, rightFields.next());
			if (result != 0) {
				return result;
			}
		}
		return rightFields.hasNext() ? -1 : 0;
	}

	private static int compareFields(Map.Entry<String, Object> left, Map.Entry<String, Object> right) {
		int byType = Integer.compare(ValueType.of(left.getValue()).order(), ValueType.of(right.getValue()).order());
		if (byType != 0) {
			return byType;
		}
		int byName = compareStrings(left.getKey(), right.getKey());
		return (byName != 0) ? byName : compare(left.getValue(), right.getValue());
	}

	private static int compareArrays(List<?> left, List<?> right) {
		for (int i = 0; i < Math.min(left.size(), right.size()); i++) {
			int result = compare(left.get(i), right.get(i));
			if (result != 0) {
				return result;
			}
		}
		return Integer.compare(left.size(), right.size());
	}

	private static int compareBytes(byte[] left, byte[] right) {
		int byLength = Integer.compare(left.length, right.length);
		return (byLength != 0) ? byLength : Arrays.compareUnsigned(left, right);
	}

	private static byte[] bytes(Object value) {
		if (value instanceof BinData data) {
			return data.getData();
		}
		UUID uuid = (value instanceof LegacyUUID legacy) ? legacy.getUuid() : (UUID) value;
		return ByteBuffer.allocate(Long.BYTES * 2)
			.putLong(uuid.getMostSignificantBits())
			.putLong(uuid.getLeastSignificantBits())
			.array();
	}

}
