// Reads width and height from the head of PNG, GIF, JPEG and WebP files; nothing is decoded.

/** The size in pixels of a base64 image, or `null` if it is none of the four formats. */
export function imageSize(base64) {
  const bytes = Buffer.from(base64, "base64");
  try {
    return png(bytes) ?? gif(bytes) ?? jpeg(bytes) ?? webp(bytes);
  } catch (error) {
    if (error instanceof RangeError) return null; // the file ends inside its head
    throw error;
  }
}

function png(bytes) {
  if (bytes.toString("latin1", 1, 4) !== "PNG") return null;
  return { width: bytes.readUInt32BE(16), height: bytes.readUInt32BE(20) };
}

function gif(bytes) {
  if (bytes.toString("latin1", 0, 3) !== "GIF") return null;
  return { width: bytes.readUInt16LE(6), height: bytes.readUInt16LE(8) };
}

function jpeg(bytes) {
  if (bytes[0] !== 0xff || bytes[1] !== 0xd8) return null;
  let at = 2;
  while (at < bytes.length) {
    const marker = bytes.readUInt8(at + 1);
    const startOfFrame = marker >= 0xc0 && marker <= 0xcf && ![0xc4, 0xc8, 0xcc].includes(marker);
    if (startOfFrame) return { width: bytes.readUInt16BE(at + 7), height: bytes.readUInt16BE(at + 5) };
    at += 2 + bytes.readUInt16BE(at + 2);
  }
  return null;
}

function webp(bytes) {
  if (bytes.toString("latin1", 8, 12) !== "WEBP") return null;
  switch (bytes.toString("latin1", 12, 16)) {
    case "VP8X":
      return { width: 1 + bytes.readUIntLE(24, 3), height: 1 + bytes.readUIntLE(27, 3) };
    case "VP8L": {
      const packed = bytes.readUInt32LE(21);
      return { width: 1 + (packed & 0x3fff), height: 1 + ((packed >>> 14) & 0x3fff) };
    }
    case "VP8 ":
      return { width: bytes.readUInt16LE(26) & 0x3fff, height: bytes.readUInt16LE(28) & 0x3fff };
    default:
      return null;
  }
}
